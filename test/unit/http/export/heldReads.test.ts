import { EventEmitter } from 'node:events';
import { describe, expect, test } from 'vitest';
import { BytesInAll, BytesOfUsers } from '../../../../src/http/bytesOfUsers.ts';
import { HeldRead } from '../../../../src/http/export/heldReads.ts';

const MEBIBYTE = 1_048_576;

describe('open exports and live reads', () => {
  const open = (all: BytesOfUsers, user: string) => {
    const outgoing = new EventEmitter();
    return { outgoing, held: new HeldRead(user, outgoing as never, all) };
  };

  test('of one user hold at most 72 MiB, and one alone that needs more is refused for good', () => {
    const all = new BytesOfUsers(new BytesInAll());
    const first = open(all, 'a');
    first.held.add(40 * MEBIBYTE);
    const second = open(all, 'a');
    expect(() => second.held.add(40 * MEBIBYTE)).toThrow(expect.objectContaining({ statusCode: 503, headers: { 'Retry-After': '2' } }));
    expect(() => second.held.add(73 * MEBIBYTE)).toThrow(expect.objectContaining({ statusCode: 400 }));
    first.outgoing.emit('close');
    second.held.add(40 * MEBIBYTE);
    expect(all.total).toBe(40 * MEBIBYTE);
  });

  test('hold nothing if the connection has ended before they begin', () => {
    const all = new BytesOfUsers(new BytesInAll());
    const outgoing = Object.assign(new EventEmitter(), { destroyed: true });
    expect(() => new HeldRead('a', outgoing as never, all)).toThrow('closed the connection');
    expect(all.total).toBe(0);
  });

  test('hold nothing more once the connection has ended', () => {
    const all = new BytesOfUsers(new BytesInAll());
    const { outgoing, held } = open(all, 'a');
    held.add(MEBIBYTE);
    outgoing.emit('close');
    expect(() => held.add(MEBIBYTE)).toThrow('closed the connection');
    expect(all.total).toBe(0);
  });

  test('of all users hold at most 144 MiB; a small one is not refused because of others', () => {
    const all = new BytesOfUsers(new BytesInAll());
    for (const user of ['a', 'b']) open(all, user).held.add(72 * MEBIBYTE);
    expect(() => open(all, 'c').held.add(2 * MEBIBYTE)).toThrow(expect.objectContaining({ statusCode: 503 }));
    open(all, 'c').held.add(MEBIBYTE);
  });
});

import { EventEmitter } from 'node:events';
import { describe, expect, test } from 'vitest';
import { BytesInAll, BytesOfUsers } from '../../../../src/http/bytesOfUsers.ts';
import { HeldRead, OpenReads } from '../../../../src/http/export/heldReads.ts';
import { ManualClock } from '../../../manualClock.ts';

const MEBIBYTE = 1_048_576;

describe('open exports and live reads', () => {
  const clock = new ManualClock();
  const open = (all: OpenReads, user: string) => {
    const outgoing = Object.assign(new EventEmitter(), {
      writableLength: 0,
      socket: { bytesWritten: 0 },
      destroy: () => outgoing.emit('close'),
    });
    return { outgoing, held: new HeldRead(user, outgoing as never, clock, all) };
  };

  test('of one user hold at most 72 MiB, and one alone that needs more is refused for good', () => {
    const all = new OpenReads(new BytesOfUsers(new BytesInAll()));
    const first = open(all, 'a');
    first.held.add(40 * MEBIBYTE);
    const second = open(all, 'a');
    expect(() => second.held.add(40 * MEBIBYTE)).toThrow(expect.objectContaining({ statusCode: 503, headers: { 'Retry-After': '2' } }));
    expect(() => second.held.add(73 * MEBIBYTE)).toThrow(expect.objectContaining({ statusCode: 400 }));
    first.outgoing.emit('close');
    second.held.add(40 * MEBIBYTE);
    expect(all.bytes.total).toBe(40 * MEBIBYTE);
  });

  test('hold nothing if the connection has ended before they begin', () => {
    const all = new OpenReads(new BytesOfUsers(new BytesInAll()));
    const outgoing = Object.assign(new EventEmitter(), { destroyed: true });
    expect(() => new HeldRead('a', outgoing as never, clock, all)).toThrow('closed the connection');
    expect(all.bytes.total).toBe(0);
  });

  test('hold nothing more once the connection has ended', () => {
    const all = new OpenReads(new BytesOfUsers(new BytesInAll()));
    const { outgoing, held } = open(all, 'a');
    held.add(MEBIBYTE);
    outgoing.emit('close');
    expect(() => held.add(MEBIBYTE)).toThrow('closed the connection');
    expect(all.bytes.total).toBe(0);
  });

  test('of all users hold at most 144 MiB; a small one is not refused because of others', () => {
    const all = new OpenReads(new BytesOfUsers(new BytesInAll()));
    for (const user of ['a', 'b']) open(all, user).held.add(72 * MEBIBYTE);
    expect(() => open(all, 'c').held.add(2 * MEBIBYTE)).toThrow(expect.objectContaining({ statusCode: 503 }));
    open(all, 'c').held.add(MEBIBYTE);
  });

  test('of slow readers are cut off while others are refused, unless they take 1 MiB a second or wait for the server', async () => {
    const all = new OpenReads(new BytesOfUsers(new BytesInAll()));
    const [slow, steady, idle] = [open(all, 'a'), open(all, 'b'), open(all, 'a')];
    slow.held.add(60 * MEBIBYTE);
    steady.held.add(72 * MEBIBYTE);
    idle.held.add(12 * MEBIBYTE);
    for (const { outgoing } of [slow, steady]) outgoing.writableLength = 1;
    const ask = () => open(all, 'c').held.add(2 * MEBIBYTE);
    expect(ask).toThrow(expect.objectContaining({ statusCode: 503 }));
    await clock.advance(4_999);
    expect(ask).toThrow(expect.objectContaining({ statusCode: 503 }));
    expect(all.bytes.total).toBe(144 * MEBIBYTE);
    await clock.advance(1);
    steady.outgoing.socket.bytesWritten = 5 * MEBIBYTE;
    expect(ask).toThrow(expect.objectContaining({ statusCode: 503 }));
    expect(all.bytes.total).toBe(84 * MEBIBYTE);
    ask();
  });
});

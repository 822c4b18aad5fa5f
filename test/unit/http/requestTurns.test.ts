import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { RequestTurns } from '../../../src/http/server/requestTurns.ts';
import { ManualClock } from '../../manualClock.ts';

/** Requests of users, and which of them are being handled, in order. */
const asked = () => {
  const clock = new ManualClock();
  const turns = new RequestTurns(clock);
  const begun: string[] = [];
  const left: string[] = [];
  const ask = (user: string, name = user) => {
    // It is only listened to.
    const outgoing = new EventEmitter() as ServerResponse;
    const entering = turns.enter(user, outgoing);
    if (entering)
      entering.then(
        () => begun.push(name),
        () => left.push(name),
      );
    else begun.push(name);
    return () => outgoing.emit('close');
  };
  const askMany = (user: string, count: number) => Array.from({ length: count }, (_, n) => ask(user, `${user}${n + 1}`));
  return { clock, begun, left, ask, askMany };
};

describe('requests of a user', () => {
  test('are all handled at once if no one else asks', () => {
    const { begun, askMany } = asked();
    askMany('a', 500);
    expect(begun).toHaveLength(500);
  });

  test('are handled eight at a time while others ask; theirs begin at once', async () => {
    const { clock, begun, ask, askMany } = asked();
    ask('b');
    const ends = askMany('a', 500);
    await clock.advance(0);
    expect(begun).toHaveLength(9);
    ask('b');
    expect(begun).toHaveLength(10);
    ends[0]?.();
    await clock.advance(0);
    expect(begun.at(-1)).toBe('a9');
  });

  test('give their places away after 100 ms: they wait for something else', async () => {
    const { clock, begun, ask, askMany } = asked();
    ask('b');
    askMany('a', 20);
    await clock.advance(50);
    expect(begun).toHaveLength(9);
    await clock.advance(50);
    expect(begun).toHaveLength(17);
  });

  test('all begin a second after the last request of another user', async () => {
    const { clock, begun, ask, askMany } = asked();
    ask('b');
    await clock.advance(980);
    const ends = askMany('a', 100);
    await clock.advance(50);
    expect(begun).toHaveLength(101);
    for (const end of ends) end();
  });

  test('are refused when their connection closes before they begin', async () => {
    const { clock, begun, left, ask, askMany } = asked();
    ask('b');
    const ends = askMany('a', 10);
    ends[9]?.();
    ends[0]?.();
    await clock.advance(0);
    expect(begun).toEqual(['b', 'a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'a7', 'a8', 'a9']);
    expect(left).toEqual(['a10']);
  });

  test('are refused if their connection has closed already', () => {
    const turns = new RequestTurns(new ManualClock());
    const gone = Object.assign(new EventEmitter(), { destroyed: true }) as ServerResponse;
    expect(() => turns.enter('a', gone)).toThrow('closed the connection');
  });
});

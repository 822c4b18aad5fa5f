import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { RequestTurns } from '../../../src/http/server/requestTurns.ts';
import { ManualClock } from '../../manualClock.ts';

/** An answer of which only the closing and these members matter. */
const answerTo = ({ complete = true, headersSent = false }) =>
  Object.assign(new EventEmitter(), { req: { complete }, headersSent }) as unknown as ServerResponse;

/** Requests of users on a busy server, and which of them are being handled, in order. */
const asked = (memory = { scarcity: 0 }) => {
  const clock = new ManualClock();
  const load = { busy: true };
  const turns = new RequestTurns(clock, load, memory);
  const begun: string[] = [];
  const left: string[] = [];
  const answers = new Map<string, ServerResponse>();
  const follow = (name: string, outgoing: ServerResponse, entering: Promise<void> | undefined) => {
    if (entering)
      entering.then(
        () => begun.push(name),
        () => left.push(name),
      );
    else begun.push(name);
    return () => outgoing.emit('close');
  };
  const ask = (user: string, name = user, request = {}) => {
    const outgoing = answerTo(request);
    answers.set(name, outgoing);
    return follow(name, outgoing, turns.enter(user, outgoing));
  };
  const again = (user: string, name: string) => {
    const outgoing = answers.get(name);
    if (outgoing) follow(`${name} again`, outgoing, turns.again(user, outgoing));
  };
  const askFrom = (address: string) => {
    const outgoing = answerTo({});
    return follow(address, outgoing, turns.enterFrom(address, outgoing));
  };
  const askMany = (user: string, count: number, request = {}) =>
    Array.from({ length: count }, (_, n) => ask(user, `${user}${n + 1}`, request));
  return { clock, load, begun, left, ask, again, askFrom, askMany };
};

describe('requests of a user', () => {
  test('are all handled at once if no one else asks', () => {
    const { begun, askMany } = asked();
    askMany('a', 500);
    expect(begun).toHaveLength(500);
  });

  test('are handled one at a time while the event loop is busy and memory is scarce', async () => {
    const memory = { scarcity: 1 };
    const { clock, begun, ask, askMany } = asked(memory);
    ask('b');
    const close = askMany('a', 3);
    expect(begun).toEqual(['b', 'a1']);
    close[0]?.();
    await turn();
    expect(begun).toEqual(['b', 'a1', 'a2']);
    memory.scarcity = 0;
    ask('b');
    await clock.advance(50);
    expect(begun).toEqual(['b', 'a1', 'a2', 'b', 'a3']);
  });

  test('are handled sixteen at a time, four of which begin in a turn, while others ask and the event loop has time to spare', async () => {
    const { load, begun, ask, askMany } = asked();
    load.busy = false;
    ask('b');
    const ends = askMany('a', 500);
    for (const count of [5, 9, 13, 17, 17]) {
      expect(begun).toHaveLength(count);
      await turn();
    }
    ends[0]?.();
    await turn();
    expect(begun.at(-1)).toBe('a17');
    load.busy = true;
    askMany('c', 10);
    expect(begun).toHaveLength(20);
  });

  test('leave room for sixteen others after 100 ms while the event loop has time to spare, up to 64', async () => {
    const { clock, load, begun, ask, askMany } = asked();
    load.busy = false;
    ask('b');
    askMany('a', 100);
    const someTurns = async () => {
      for (let turns = 0; turns < 20; turns += 1) await turn();
    };
    for (const count of [17, 33, 49, 65, 65]) {
      await someTurns();
      expect(begun).toHaveLength(count);
      await clock.advance(100);
    }
  });

  test('of an address begin at once while the event loop has time to spare', () => {
    const { load, begun, ask, askFrom } = asked();
    load.busy = false;
    ask('b');
    for (let n = 0; n < 100; n += 1) askFrom('192.0.2.1');
    expect(begun).toHaveLength(101);
  });

  test('are not limited by requests without a caller, which take the turns of their address', () => {
    const { begun, ask, askFrom, askMany } = asked();
    askFrom('192.0.2.1');
    askMany('a', 100);
    expect(begun).toHaveLength(101);
    for (let n = 0; n < 20; n += 1) askFrom('192.0.2.1');
    expect(begun).toHaveLength(102);
    ask('b');
    expect(begun).toHaveLength(103);
  });

  test('are handled two at a time while another user has two or more in hand', async () => {
    const { clock, begun, askMany } = asked();
    askMany('b', 2);
    const ends = askMany('a', 500);
    await clock.advance(0);
    expect(begun).toHaveLength(4);
    ends[0]?.();
    await clock.advance(0);
    expect(begun.at(-1)).toBe('a3');
  });

  test('are handled one at a time while another user has one in hand or asked within the last second, whose own begin at once', async () => {
    const { clock, begun, ask, askMany } = asked();
    const answer = ask('b');
    const ends = askMany('a', 500);
    await clock.advance(0);
    expect(begun).toEqual(['b', 'a1']);
    answer();
    ends[0]?.();
    await clock.advance(50);
    expect(begun).toEqual(['b', 'a1', 'a2']);
    ask('b');
    expect(begun).toEqual(['b', 'a1', 'a2', 'b']);
  });

  test('are handled two at a time if at least eight other users ask', () => {
    const { begun, ask, askMany } = asked();
    for (let n = 0; n < 8; n += 1) ask(`b${n}`);
    askMany('a', 500);
    expect(begun).toHaveLength(10);
  });

  test('begin two in a turn of the event loop while others ask, however soon they are answered', async () => {
    const { begun, ask, askMany } = asked();
    ask('b');
    let answered = 0;
    // Each is answered in the turn in which it begins.
    const ends = askMany('a', 20);
    const inTurns: number[] = [];
    while (answered < 20) {
      const before = begun.length;
      for (; answered < begun.length - 1; answered += 1) ends[answered]?.();
      await turn();
      inTurns.push(begun.length - before);
    }
    expect(begun).toHaveLength(21);
    expect(Math.max(...inTurns)).toBeLessThanOrEqual(2);
    // Those that need not wait, too.
    for (let n = 0; n < 10; n += 1) ask('a', 'a')();
    expect(begun.length - 21).toBeLessThanOrEqual(2);
  });

  test.each([
    ['the rest of its body', { complete: false }],
    ['the reader of its answer', { headersSent: true }],
  ])('release their places after 100 ms if each waits for %s', async (_, request) => {
    const { clock, begun, ask, askMany } = asked();
    ask('b');
    ask('b');
    askMany('a', 20, request);
    await clock.advance(50);
    expect(begun).toHaveLength(4);
    await clock.advance(50);
    expect(begun).toHaveLength(6);
  });

  test('keep their places for a second while they compute', async () => {
    const { clock, begun, ask, askMany } = asked();
    askMany('a', 2);
    ask('b');
    await clock.advance(500);
    ask('b');
    askMany('a', 20);
    await clock.advance(450);
    expect(begun).toHaveLength(4);
    await clock.advance(50);
    expect(begun).toHaveLength(6);
  });

  test('begin eight at a time a second after the last answer to another user, or when one of them has left', async () => {
    const { clock, begun, ask, askMany } = asked();
    ask('b')();
    await clock.advance(980);
    const ends = askMany('a', 100);
    await clock.advance(50);
    expect(begun).toHaveLength(10);
    ends[0]?.();
    await clock.advance(0);
    expect(begun).toHaveLength(18);
    await clock.advance(50);
    expect(begun).toHaveLength(26);
    for (const end of ends) end();
  });

  test("begin one at a time while another user's request is in hand, for at most ten seconds, and for a second after its answer", async () => {
    const { clock, begun, ask, askMany } = asked();
    const answer = ask('b', 'slow');
    await clock.advance(200);
    ask('b')();
    await clock.advance(9_300);
    askMany('a', 3);
    await clock.advance(500);
    expect(begun).toEqual(['slow', 'b', 'a1']);
    answer();
    await clock.advance(450);
    expect(begun).toEqual(['slow', 'b', 'a1']);

    const late = asked();
    late.ask('b');
    await late.clock.advance(10_050);
    late.askMany('a', 3);
    expect(late.begun).toEqual(['b', 'a1', 'a2', 'a3']);
  });

  test('wait again if they have released their place while their body arrived', async () => {
    const { clock, begun, ask, askMany, again } = asked();
    ask('b');
    ask('b');
    ask('a', 'slow', { complete: false });
    ask('a', 'short');
    again('a', 'short');
    await clock.advance(100);
    const ends = askMany('a', 2);
    again('a', 'slow');
    expect(begun).toEqual(['b', 'b', 'slow', 'short', 'short again', 'a1']);
    ends[0]?.();
    await clock.advance(0);
    expect(begun).toEqual(['b', 'b', 'slow', 'short', 'short again', 'a1', 'a2']);
    ends[1]?.();
    await clock.advance(0);
    expect(begun.at(-1)).toBe('slow again');
  });

  test('are refused when their connection closes before they begin', async () => {
    const { clock, begun, left, ask, askMany } = asked();
    ask('b');
    ask('b');
    const ends = askMany('a', 4);
    ends[3]?.();
    ends[0]?.();
    await clock.advance(0);
    expect(begun).toEqual(['b', 'b', 'a1', 'a2', 'a3']);
    expect(left).toEqual(['a4']);
  });

  test('are refused if their connection has closed already', () => {
    const turns = new RequestTurns(new ManualClock(), { busy: false });
    const gone = Object.assign(new EventEmitter(), { destroyed: true }) as ServerResponse;
    expect(() => turns.enter('a', gone)).toThrow('closed the connection');
    expect(() => turns.again('a', gone)).toThrow('closed the connection');
  });
});

import { expect, it } from 'vitest';
import { Gathering } from '../../../src/stores/gathering.ts';
import { ManualClock } from '../../manualClock.ts';

/** A server that answers when it is told to. */
const server = (most = 10) => {
  const clock = new ManualClock();
  const requests: { readonly items: readonly string[]; readonly answer: (answers?: readonly (string | Error)[]) => void }[] = [];
  const gathering = new Gathering<string, string>({
    clock,
    most,
    send: (items) =>
      new Promise((resolve) => {
        requests.push({ items, answer: (answers = items.map((item) => `${item}!`)) => resolve(answers) });
      }),
  });
  const sent = () => requests.map(({ items }) => items.join(''));
  return { clock, requests, gathering, sent };
};

it('sends what is asked in one turn together, and what comes during a request with the next one', async () => {
  const { clock, requests, gathering, sent } = server();
  const first = ['a', 'b'].map((item) => gathering.add(item));
  await clock.advance(0);
  const second = ['c', 'd'].map((item) => gathering.add(item));
  await clock.advance(0);
  expect(sent()).toEqual(['ab']);
  requests[0]?.answer();
  expect(await Promise.all(first)).toEqual(['a!', 'b!']);
  await clock.advance(0);
  expect(sent()).toEqual(['ab', 'cd']);
  requests[1]?.answer();
  expect(await Promise.all(second)).toEqual(['c!', 'd!']);
});

it('sends at most the given number of items in a request, and a later one at once', async () => {
  const { clock, requests, gathering, sent } = server(2);
  const answers = ['a', 'b', 'c'].map((item) => gathering.add(item));
  for (const n of [0, 1]) {
    await clock.advance(0);
    requests[n]?.answer();
  }
  expect(await Promise.all(answers)).toEqual(['a!', 'b!', 'c!']);
  expect(sent()).toEqual(['ab', 'c']);
  await clock.advance(0);
  expect(clock.sleeping).toBe(0);
  void gathering.add('d');
  await clock.advance(0);
  expect(sent()).toEqual(['ab', 'c', 'd']);
});

it('rejects only the items that fail', async () => {
  const { clock, requests, gathering } = server();
  const answers = ['a', 'b'].map((item) => gathering.add(item));
  await clock.advance(0);
  requests[0]?.answer([new Error('taken'), 'b!']);
  await expect(answers[0]).rejects.toThrow('taken');
  expect(await answers[1]).toBe('b!');
});

it('lets a request that hangs hold up the next one for a second only', async () => {
  const { clock, requests, gathering, sent } = server();
  const first = gathering.add('a');
  await clock.advance(0);
  const second = gathering.add('b');
  await clock.advance(999);
  expect(sent()).toEqual(['a']);
  await clock.advance(1);
  expect(sent()).toEqual(['a', 'b']);
  requests[1]?.answer();
  expect(await second).toBe('b!');
  requests[0]?.answer();
  expect(await first).toBe('a!');
});

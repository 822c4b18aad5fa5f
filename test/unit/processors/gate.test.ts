import { expect, test } from 'vitest';
import { Gate } from '../../../src/processors/declared/gate.ts';

const never = new AbortController().signal;
const aTurn = () => new Promise((resolve) => setImmediate(resolve));

/** A gate with one place, and runs that hold it until they are ended. */
const oneAtATime = () => {
  const gate = new Gate();
  const ends = new Map<string, () => void>();
  const started: string[] = [];
  const enter = (run: string, owner: string, signal = never, name = 'processor') =>
    gate.pass({ name, owner, limit: 1, signal }, () => {
      started.push(run);
      return new Promise<void>((resolve) => ends.set(run, resolve));
    });
  const end = async (run: string) => {
    ends.get(run)?.();
    await aTurn();
  };
  return { enter, end, started };
};

test('rotates between the owners of waiting runs', async () => {
  const { enter, end, started } = oneAtATime();
  for (const run of ['many1', 'many2', 'many3', 'many4']) void enter(run, 'many');
  void enter('few1', 'few');
  await aTurn();
  for (const run of ['many1', 'many2', 'few1', 'many3']) await end(run);
  expect(started).toEqual(['many1', 'many2', 'few1', 'many3', 'many4']);
});

test('rejects a waiting run that is aborted, and gives its place to the next', async () => {
  const { enter, end, started } = oneAtATime();
  const aborted = new AbortController();
  void enter('first', 'one');
  const second = enter('second', 'one', aborted.signal);
  void enter('third', 'one');
  aborted.abort(new Error('not wanted'));
  await expect(second).rejects.toThrow('not wanted');
  await end('first');
  expect(started).toEqual(['first', 'third']);
});

test('limits each name separately', async () => {
  const { enter, started } = oneAtATime();
  void enter('first', 'one');
  void enter('other', 'one', never, 'other processor');
  await aTurn();
  expect(started).toEqual(['first', 'other']);
});

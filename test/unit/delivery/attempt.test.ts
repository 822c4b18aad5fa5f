import { expect, test } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { makeAttempt } from '../../../src/delivery/send/attempt.ts';
import { noTracing } from '../../../src/tracing.ts';
import { slowSteps } from '../../slowSteps.ts';
import { turnsOf } from '../../turnsOf.ts';

type Given = Parameters<typeof makeAttempt>;

/** Makes attempts that start at the same moment, and calls `sent` for each that is sent. */
const makeAttempts = (count: number, bodyBytes: number, sent: () => void, partitionLost = new AbortController().signal) => {
  const send = async () => {
    sent();
    return 'abandoned';
  };
  const deps = {
    clock: systemClock,
    tracing: noTracing,
    bodies: { of: async () => ({ before: '{"id":', after: `,"x":"${'x'.repeat(bodyBytes)}"}`, correlationId: 'c' }) },
    secrets: { accountSecrets: () => ['whsec_AAAA'] },
    sender: { send },
  } as unknown as Given[0];
  const target = { subject: 's', endpoints: {}, url: 'http://127.0.0.1/', partitionLost } as Given[1];
  const delivery = { deliveryId: 'd', eventId: 'e', endpointId: 'p', type: 'stream.ready', dynamicStreamId: 's', sequence: null };
  const pending = { delivery, source: {}, scheduling: { renderer: 1 }, attempts: 0 } as unknown as Given[2];
  const flight = { sending: () => {} } as unknown as Given[3];
  return Promise.all(Array.from({ length: count }, () => makeAttempt(deps, target, pending, flight)));
};

/** In which turn of the event loop each of 20 attempts was sent. */
const turnsOfAttempts = async (bodyBytes: number): Promise<number[]> => {
  const turns: number[] = [];
  await turnsOf((passed) => makeAttempts(20, bodyBytes, () => turns.push(passed())));
  return turns;
};

test('attempts with large bodies that are due at the same moment are signed one in a turn of the event loop', async () => {
  slowSteps();
  const turns = await turnsOfAttempts(20_000);
  expect(new Set(turns).size).toBe(20);
});

test('attempts with small bodies need no turns of their own', async () => {
  const turns = await turnsOfAttempts(1_000);
  expect(turns).toHaveLength(20);
  expect(new Set(turns).size).toBe(1);
});

test('an attempt is not sent if its partition is lost while it waits for its turn', async () => {
  const lost = new AbortController();
  let sent = 0;
  const ends = makeAttempts(
    2,
    20_000,
    () => {
      sent += 1;
      lost.abort();
    },
    lost.signal,
  );
  expect(await ends).toEqual(['abandoned', 'abandoned']);
  expect(sent).toBe(1);
});

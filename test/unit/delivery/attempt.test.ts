import { expect, test } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { makeAttempt } from '../../../src/delivery/send/attempt.ts';
import { noTracing } from '../../../src/tracing.ts';

type Given = Parameters<typeof makeAttempt>;

/** Attempts that start at the same moment. Returns in which turn of the event loop each was sent. */
const turnsOfAttempts = async (count: number, bodyBytes: number): Promise<number[]> => {
  let turn = 0;
  let isOver = false;
  const next = (): void => {
    turn += 1;
    if (!isOver) setImmediate(next);
  };
  setImmediate(next);
  const turns: number[] = [];
  const deps = {
    clock: systemClock,
    tracing: noTracing,
    bodies: { of: async () => ({ before: '{"id":', after: `,"x":"${'x'.repeat(bodyBytes)}"}`, correlationId: 'c' }) },
    secrets: { accountSecrets: () => ['whsec_AAAA'] },
    sender: {
      send: async () => {
        turns.push(turn);
        return 'abandoned';
      },
    },
  } as unknown as Given[0];
  const target = { subject: 's', endpoints: {}, url: 'http://127.0.0.1/', partitionLost: new AbortController().signal } as Given[1];
  const delivery = { deliveryId: 'd', eventId: 'e', endpointId: 'p', type: 'stream.ready', dynamicStreamId: 's', sequence: null };
  const pending = { delivery, source: {}, scheduling: { renderer: 1 }, attempts: 0 } as unknown as Given[2];
  const flight = { sending: () => {} } as unknown as Given[3];
  await Promise.all(Array.from({ length: count }, () => makeAttempt(deps, target, pending, flight)));
  isOver = true;
  return turns;
};

test('attempts with large bodies that are due at the same moment are signed one in a turn of the event loop', async () => {
  const turns = await turnsOfAttempts(20, 20_000);
  expect(new Set(turns).size).toBe(20);
});

test('attempts with small bodies need no turns of their own', async () => {
  const turns = await turnsOfAttempts(20, 1_000);
  expect(new Set(turns).size).toBe(1);
});

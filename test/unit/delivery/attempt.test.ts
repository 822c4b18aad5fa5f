import { expect, test } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { makeAttempt } from '../../../src/delivery/send/attempt.ts';
import { noTracing } from '../../../src/tracing.ts';

type Given = Parameters<typeof makeAttempt>;

test('an attempt is not sent if its partition is lost while its event is read', async () => {
  const lost = new AbortController();
  let sent = 0;
  const body = async () => {
    lost.abort();
    return { before: '{"id":', after: '}', correlationId: 'c' };
  };
  const send = async () => {
    sent += 1;
    return 'abandoned';
  };
  const deps = {
    ...{ clock: systemClock, tracing: noTracing, bodies: { of: body }, sender: { send } },
    secrets: { accountSecrets: () => ['whsec_AAAA'] },
  } as unknown as Given[0];
  const target = { subject: 's', endpoints: {}, url: 'http://127.0.0.1/', partitionLost: lost.signal } as Given[1];
  const delivery = { deliveryId: 'd', eventId: 'e', endpointId: 'p', type: 'stream.ready', dynamicStreamId: 's', sequence: null };
  const pending = { delivery, source: {}, scheduling: { renderer: 1 }, attempts: 0 } as unknown as Given[2];
  expect(await makeAttempt(deps, target, pending, {} as Given[3])).toBe('abandoned');
  expect(sent).toBe(0);
});

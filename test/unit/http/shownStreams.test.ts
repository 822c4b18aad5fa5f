import { expect, test } from 'vitest';
import { beginUpload } from '../../../src/commands/upload.ts';
import { disableWebhookEndpoint } from '../../../src/commands/webhookEndpoints.ts';
import { dynamicEndpoint } from '../../../src/domain/stream/dynamicWebhooks.ts';
import type { WebhookEndpoint } from '../../../src/domain/stream/streamConfiguration.ts';
import type { Stream } from '../../../src/domain/stream/streamResource.ts';
import { shownStreams } from '../../../src/http/streams/shownStreams.ts';
import { BY, commandRig, planOf } from '../../fakes/commandRig.ts';
import { STREAM } from '../../fakes/streamStory.ts';

const stopped = dynamicEndpoint(STREAM, { url: 'https://example.org/gone', events: ['*'] });
const going = dynamicEndpoint(STREAM, { url: 'https://example.org/well', events: ['stream.*'] });

const streamWith = async (deps: ReturnType<typeof commandRig>['deps'], dynamicWebhookEndpoints: WebhookEndpoint[]): Promise<Stream> => {
  const plan = planOf();
  return (await beginUpload(deps, { ...plan, configuration: { ...plan.configuration, dynamicWebhookEndpoints } }, BY)).stream;
};

test('shows a stopped dynamic webhook as disabled with its reason, and leaves others unchanged', async () => {
  const { deps } = commandRig();
  const stream = await streamWith(deps, [stopped, going]);
  expect(await shownStreams(deps.log, [stream])).toEqual([stream]);
  await disableWebhookEndpoint(deps, { endpointId: stopped.id, reason: 'It answered 410 Gone', dynamic: true }, BY);
  const [shown] = await shownStreams(deps.log, [stream]);
  expect(shown?.configuration.dynamicWebhookEndpoints).toEqual([
    { ...stopped, enabled: false, disabledReason: 'It answered 410 Gone', disabledTimestamp: '2026-01-01T00:00:00.000Z' },
    going,
  ]);
});

test('reads nothing for streams without dynamic webhooks', async () => {
  const { deps, store } = commandRig();
  const stream = await streamWith(deps, []);
  const before = store.reads;
  expect(await shownStreams(deps.log, [stream, stream])).toEqual([stream, stream]);
  expect(store.reads).toBe(before);
});

import { createHmac, randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  loadWebhookEndpoints,
  rotateAccountSecret,
  rotateWebhookSecret,
  saveWebhookEndpoint,
  toggleWebhookEndpoint,
} from '../../../src/commands/webhookEndpoints.ts';
import { WebhookSecrets } from '../../../src/commands/webhookSecrets.ts';
import { visibleEndpoint } from '../../../src/domain/webhookEndpoints/decisions.ts';
import { BY, commandRig } from '../../fakes/commandRig.ts';
import { OWNER } from '../../fakes/streamStory.ts';

const settings = { url: 'https://example.org/hook', events: ['*'], enabled: true, description: null, payload: null };
const NEW = { endpointId: null, settings, ifMatch: null };
const HOUR = 3_600_000;

test('creates at most twenty endpoints, even on two nodes at once', async () => {
  const { node } = commandRig();
  const nodes = [node(), node()];
  const outcomes = await Promise.allSettled(Array.from({ length: 30 }, (_, i) => saveWebhookEndpoint(nodes[i % 2] ?? node(), NEW, BY)));
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(20);
  const refusals = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason.internalErrorName] : []));
  expect(new Set(refusals)).toEqual(new Set(['WEBHOOK_ENDPOINTS_DEFINITION_LIMIT_REACHED']));
  expect((await loadWebhookEndpoints(node().log, OWNER)).endpoints).toHaveLength(20);
});

test('shows on one node what another has done', async () => {
  const { node } = commandRig();
  const [one, other] = [node(), node()];
  const { endpointId } = await saveWebhookEndpoint(one, NEW, BY);
  await toggleWebhookEndpoint(other, { endpointId, enabled: false, ifMatch: ['1'] }, BY);
  expect(visibleEndpoint(await loadWebhookEndpoints(one.log, OWNER), endpointId).enabled).toBe(false);
});

describe('secrets', () => {
  /** As `Keys.derive`: the same purpose gives the same bytes, under one master key. */
  const keysOf = (masterKey: Buffer) => ({ derive: (purpose: string) => createHmac('sha256', masterKey).update(purpose).digest() });
  const world = async () => {
    const { deps, clock } = commandRig();
    const secrets = new WebhookSecrets(keysOf(randomBytes(32)));
    const { endpointId } = await saveWebhookEndpoint(deps, NEW, BY);
    const signing = async () =>
      secrets.signingSecrets(visibleEndpoint(await loadWebhookEndpoints(deps.log, OWNER), endpointId), clock.now());
    return { deps, clock, secrets, endpointId, signing };
  };

  test('both sign for 24 hours after a rotation, then only the new one', async () => {
    const { deps, clock, endpointId, signing } = await world();
    const [first] = await signing();
    await rotateWebhookSecret(deps, endpointId, BY);
    const during = await signing();
    expect([during.length, during[1]]).toEqual([2, first]);
    await clock.advance(24 * HOUR - 1);
    expect(await signing()).toEqual(during);
    await clock.advance(1);
    expect(await signing()).toEqual(during.slice(0, 1));
  });

  test('stay valid after a second rotation within the day', async () => {
    const { deps, clock, endpointId, signing } = await world();
    const [first] = await signing();
    await rotateWebhookSecret(deps, endpointId, BY);
    await clock.advance(HOUR);
    const { previousValidUntil } = await rotateWebhookSecret(deps, endpointId, BY);
    expect(previousValidUntil).toBe(new Date(clock.now() + 24 * HOUR).toISOString());
    expect(await signing()).toHaveLength(3);
    expect((await signing())[2]).toBe(first);
    await clock.advance(23 * HOUR);
    expect(await signing()).toHaveLength(2);
  });

  test('of an account rotate without those of its endpoints', async () => {
    const { deps, clock, secrets, signing } = await world();
    const account = async () => secrets.accountSecrets(OWNER, await loadWebhookEndpoints(deps.log, OWNER), clock.now());
    const [before, [endpoint]] = [await account(), await signing()];
    await rotateAccountSecret(deps, BY);
    expect([(await account())[1], (await account()).length, (await signing())[0]]).toEqual([before[0], 2, endpoint]);
    expect(new Set([...(await account()), endpoint]).size).toBe(3);
  });

  test('are 32 bytes in the form of Standard Webhooks and depend on the master key', async () => {
    const endpoint = { endpointId: 'a', secret: { generation: 1, previous: [] } };
    const keys = keysOf(randomBytes(32));
    const [secret = ''] = new WebhookSecrets(keys).signingSecrets(endpoint, 0);
    expect(Buffer.from(secret.slice('whsec_'.length), 'base64')).toHaveLength(32);
    expect(new WebhookSecrets(keys).signingSecrets(endpoint, 0)).toEqual([secret]);
    expect(new WebhookSecrets(keysOf(randomBytes(32))).signingSecrets(endpoint, 0)).not.toEqual([secret]);
  });
});

// A delivering node in a process of its own that kills itself (SIGKILL) at the point named by KILL_AT. Run from dist, as users do.

import { parseRanges } from '../../dist/addressGuard/ranges.js';
import { systemClock } from '../../dist/clock.js';
import { saveWebhookEndpoint } from '../../dist/commands/webhookEndpoints.js';
import { readConfig } from '../../dist/config.js';
import { openDeliverer } from '../../dist/delivery/openDeliverer.js';
import { silentLogger } from '../../dist/logger.js';
import { openPlatform } from '../../dist/platform.js';

const { DATA_DIR, KILL_AT = 'never', RECEIVER_PORT, GROUP_ID, OWNER, MAKE_ENDPOINT } = process.env;
const platform = await openPlatform(readConfig({ DATA_DIR }), { clock: systemClock, logger: silentLogger });
const dieAt = (point) => {
  if (KILL_AT === point) process.kill(process.pid, 'SIGKILL');
};

const log = {
  ...platform.log,
  append: async (eventStream, head, events, context) => {
    const types = events.map(({ type }) => type);
    if (types.includes('AttemptsRecorded')) dieAt('after the send and before the record');
    const appended = await platform.log.append(eventStream, head, events, context);
    if (types.includes('AttemptsRecorded')) dieAt('after the record');
    if (types.includes('DeliveriesScheduled')) dieAt('between scheduling and sending');
    return appended;
  },
};
const resolve = async () => {
  dieAt('before the send');
  return ['127.0.0.1'];
};

const by = { subject: OWNER, actor: 'test', correlationId: 'c', causationId: 'c' };
const settings = { url: `http://receiver.example.org:${RECEIVER_PORT}/`, events: ['group.created'], enabled: true, description: null };
if (MAKE_ENDPOINT) await saveWebhookEndpoint({ log }, { endpointId: null, settings, ifMatch: null }, by);
openDeliverer(
  { ...platform, documents: platform.documents, log },
  {
    schedule: { baseMilliseconds: 50, windowMilliseconds: 60_000 },
    limits: { attempts: 16, slowAttempts: 16, timeoutMilliseconds: 2_000 },
    guard: { allow: parseRanges('127.0.0.0/8'), resolve },
  },
).run(new AbortController().signal);
await platform.log.append(
  `group-${GROUP_ID}`,
  { revision: 'no stream', hash: null },
  [
    { type: 'GroupCreated', data: { groupId: GROUP_ID, creatorId: OWNER } },
    { type: 'StreamJoined', data: { groupId: GROUP_ID, streamId: GROUP_ID, streamSubject: OWNER, webhooks: [] } },
  ],
  by,
);

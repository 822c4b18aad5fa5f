import type { Attack } from './attack.ts';
import { batchSlots } from './attacks/batchSlots.ts';
import { callerSchemas } from './attacks/callerSchemas.ts';
import { diskWatermark } from './attacks/diskWatermark.ts';
import { drippingBodies } from './attacks/drippingBodies.ts';
import { eventsExports } from './attacks/eventsExports.ts';
import { formBody } from './attacks/formBody.ts';
import { heavyStreams } from './attacks/heavyStreams.ts';
import { heavyTemplates } from './attacks/heavyTemplates.ts';
import { hostileProcessors } from './attacks/hostileProcessors.ts';
import { keepAliveFlood } from './attacks/keepAliveFlood.ts';
import { logFilling } from './attacks/logFilling.ts';
import { manyAttempts } from './attacks/manyAttempts.ts';
import { manySockets } from './attacks/manySockets.ts';
import { parallelVerifications } from './attacks/parallelVerifications.ts';
import { pipelinedRequests } from './attacks/pipelinedRequests.ts';
import { realtimeMessages } from './attacks/realtimeMessages.ts';
import { requestFlood } from './attacks/requestFlood.ts';
import { tinyFrames } from './attacks/tinyFrames.ts';
import { unreadPages } from './attacks/unreadPages.ts';
import { webhookAmplification } from './attacks/webhookAmplification.ts';
import { webhookBacklog } from './attacks/webhookBacklog.ts';

/** Light attacks: one after another against the same server, then all at once. The server must stay within its memory. */
export const TOGETHER: readonly Attack[] = [
  formBody,
  keepAliveFlood,
  tinyFrames,
  manySockets,
  drippingBodies,
  eventsExports,
  callerSchemas,
  logFilling,
  webhookAmplification,
  unreadPages,
];

/** All attacks. Those that do not share a server take more memory: docs/decisions/open-ends.md. */
export const ATTACKS: readonly Attack[] = [
  ...TOGETHER,
  batchSlots,
  diskWatermark,
  heavyStreams,
  heavyTemplates,
  hostileProcessors,
  manyAttempts,
  parallelVerifications,
  pipelinedRequests,
  realtimeMessages,
  requestFlood,
  webhookBacklog,
];

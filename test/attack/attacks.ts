import type { Attack } from './attack.ts';
import { batchSlots } from './attacks/batchSlots.ts';
import { callerSchemas } from './attacks/callerSchemas.ts';
import { diskWatermark } from './attacks/diskWatermark.ts';
import { drippingBodies } from './attacks/drippingBodies.ts';
import { eventsExports } from './attacks/eventsExports.ts';
import { formBody } from './attacks/formBody.ts';
import { heavyStreams } from './attacks/heavyStreams.ts';
import { heavyTemplates } from './attacks/heavyTemplates.ts';
import { keepAliveFlood } from './attacks/keepAliveFlood.ts';
import { logFilling } from './attacks/logFilling.ts';
import { manySockets } from './attacks/manySockets.ts';
import { parallelVerifications } from './attacks/parallelVerifications.ts';
import { pipelinedRequests } from './attacks/pipelinedRequests.ts';
import { realtimeMessages } from './attacks/realtimeMessages.ts';
import { tinyFrames } from './attacks/tinyFrames.ts';
import { unreadPages } from './attacks/unreadPages.ts';
import { webhookAmplification } from './attacks/webhookAmplification.ts';
import { webhookBacklog } from './attacks/webhookBacklog.ts';

/** Attacks that also run all at once: the server must stay within its memory. */
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

/** All attacks. The further ones take more than 600 MB beside the others, so they run one by one: docs/decisions/open-ends.md. */
export const ATTACKS: readonly Attack[] = [
  ...TOGETHER,
  batchSlots,
  diskWatermark,
  heavyStreams,
  heavyTemplates,
  parallelVerifications,
  pipelinedRequests,
  realtimeMessages,
  webhookBacklog,
];

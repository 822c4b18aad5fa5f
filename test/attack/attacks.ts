import type { Attack } from './attack.ts';
import { aliasedPatches } from './attacks/aliasedPatches.ts';
import { auditReads } from './attacks/auditReads.ts';
import { batchSlots } from './attacks/batchSlots.ts';
import { callerSchemas } from './attacks/callerSchemas.ts';
import { coldStreams } from './attacks/coldStreams.ts';
import { denseQueries } from './attacks/denseQueries.ts';
import { denseRequests } from './attacks/denseRequests.ts';
import { diskWatermark } from './attacks/diskWatermark.ts';
import { drippingBodies } from './attacks/drippingBodies.ts';
import { eventsExports } from './attacks/eventsExports.ts';
import { formBody } from './attacks/formBody.ts';
import { hangingRuns } from './attacks/hangingRuns.ts';
import { heavyStreams } from './attacks/heavyStreams.ts';
import { heavyTemplates } from './attacks/heavyTemplates.ts';
import { hostileProcessors } from './attacks/hostileProcessors.ts';
import { hugeGroup } from './attacks/hugeGroup.ts';
import { idleConfigurations, idleSockets } from './attacks/idleSockets.ts';
import { keepAliveFlood } from './attacks/keepAliveFlood.ts';
import { largeGroup } from './attacks/largeGroup.ts';
import { logFilling } from './attacks/logFilling.ts';
import { longResults } from './attacks/longResults.ts';
import { manyAttempts } from './attacks/manyAttempts.ts';
import { manySockets } from './attacks/manySockets.ts';
import { parallelVerifications } from './attacks/parallelVerifications.ts';
import { pipelinedRequests } from './attacks/pipelinedRequests.ts';
import { polledProcessors } from './attacks/polledProcessors.ts';
import { readLive } from './attacks/readLive.ts';
import { realtimeMessages } from './attacks/realtimeMessages.ts';
import { realtimeSettings } from './attacks/realtimeSettings.ts';
import { recoveries } from './attacks/recoveries.ts';
import { requestFlood } from './attacks/requestFlood.ts';
import { slowPatterns } from './attacks/slowPatterns.ts';
import { socketTexts } from './attacks/socketTexts.ts';
import { stoppedTranscripts } from './attacks/stoppedTranscripts.ts';
import { templatesOfMany } from './attacks/templatesOfMany.ts';
import { tinyChunks } from './attacks/tinyChunks.ts';
import { tinyFrames } from './attacks/tinyFrames.ts';
import { unreadPages } from './attacks/unreadPages.ts';
import { unreadSockets } from './attacks/unreadSockets.ts';
import { uploadLinks } from './attacks/uploadLinks.ts';
import { webhookAmplification } from './attacks/webhookAmplification.ts';
import { webhookBacklog } from './attacks/webhookBacklog.ts';

/** Light attacks: one after another against the same server, except one with settings of its own, and in the short form all at once. */
export const SHARED: readonly Attack[] = [
  formBody,
  denseQueries,
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

/** All attacks. Those that do not share a server take more memory. */
export const ATTACKS: readonly Attack[] = [
  ...SHARED,
  aliasedPatches,
  auditReads,
  batchSlots,
  coldStreams,
  denseRequests,
  diskWatermark,
  hangingRuns,
  heavyStreams,
  heavyTemplates,
  hostileProcessors,
  hugeGroup,
  idleConfigurations,
  idleSockets,
  largeGroup,
  longResults,
  manyAttempts,
  parallelVerifications,
  pipelinedRequests,
  polledProcessors,
  readLive,
  realtimeMessages,
  realtimeSettings,
  recoveries,
  requestFlood,
  slowPatterns,
  socketTexts,
  stoppedTranscripts,
  templatesOfMany,
  tinyChunks,
  unreadSockets,
  uploadLinks,
  webhookBacklog,
];

/** Run at once in the full form: the server must stay within its memory. A full disk would only refuse the others. */
export const TOGETHER: readonly Attack[] = ATTACKS.filter((attack) => attack !== diskWatermark);

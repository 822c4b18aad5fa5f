import type { Attack } from './attack.ts';
import { callerSchemas } from './attacks/callerSchemas.ts';
import { drippingBodies } from './attacks/drippingBodies.ts';
import { eventsExports } from './attacks/eventsExports.ts';
import { formBody } from './attacks/formBody.ts';
import { keepAliveFlood } from './attacks/keepAliveFlood.ts';
import { logFilling } from './attacks/logFilling.ts';
import { manySockets } from './attacks/manySockets.ts';
import { tinyFrames } from './attacks/tinyFrames.ts';
import { unreadPages } from './attacks/unreadPages.ts';
import { webhookAmplification } from './attacks/webhookAmplification.ts';

/** Every attack, in the order of the table. To add one: a file in `attacks/`, and a line here. */
export const ATTACKS: readonly Attack[] = [
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

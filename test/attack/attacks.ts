import type { Attack } from './attack.ts';
import { formBody } from './attacks/formBody.ts';

/** Every attack, in the order of the table. To add one: a file in `attacks/`, and a line here. */
export const ATTACKS: readonly Attack[] = [formBody];

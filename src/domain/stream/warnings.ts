import { isJsonObject, type Json } from '../../json.ts';

/** A problem that did not fail a run, in `metadata.warnings` of its results. */
export interface Warning {
  /** For programs: upper case with underscores. */
  readonly code: string;
  /** For people. */
  readonly message: string;
}

/** A warning as older results have it: text only. */
const NOTE = 'NOTE';

/** Reads one item of `metadata.warnings`, upcasting bare text. `null` for anything else. */
export const readWarning = (value: Json): Warning | null => {
  if (typeof value === 'string') return { code: NOTE, message: value };
  if (!isJsonObject(value) || typeof value.code !== 'string' || typeof value.message !== 'string') return null;
  return { code: value.code, message: value.message };
};

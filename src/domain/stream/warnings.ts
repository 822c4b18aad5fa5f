import { isJsonObject, type Json } from '../../json.ts';
import { newestRuns } from './attempts.ts';
import type { StreamAggregate } from './state.ts';

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

/** Most codes of one run. */
const MAX_CODES = 20;

/** Adds the codes of the warnings in a result's payload. Those of another form, which may hold a person's data, count as notes. */
export const collectWarnings = (codes: Set<string>, payload: Json): void => {
  const metadata = isJsonObject(payload) ? payload.metadata : null;
  const warnings = isJsonObject(metadata) ? metadata.warnings : null;
  if (!Array.isArray(warnings)) return;
  for (const { code } of warnings.flatMap((value) => readWarning(value) ?? []))
    if (codes.size < MAX_CODES) codes.add(/^[A-Z][A-Z0-9_]{0,63}$/.test(code) ? code : NOTE);
};

/** Codes of the warnings in the results of a stream, each once. */
export const warningsOf = (stream: StreamAggregate): string[] => [...new Set(newestRuns(stream).flatMap(({ warnings = [] }) => warnings))];

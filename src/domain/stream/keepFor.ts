import { Problem } from '../problem.ts';
import type { RetentionLimits } from './retention.ts';

const DURATION = /^P(?=.)(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?=.)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/;
const DAY = 86_400;
/** A year counts as 365 days, a month as 30. */
const SECONDS = [365 * DAY, 30 * DAY, 7 * DAY, DAY, 3_600, 60, 1] as const;
/** A hundred years. */
const LONGEST_SECONDS = 100 * 365 * DAY;

/** Seconds of the upload parameter `keepFor`, an ISO 8601 duration. Throws 400 for anything else, for 0, and beyond the bound. */
export const keepForSeconds = (text: string, { longest }: Pick<RetentionLimits, 'longest'>): number => {
  const parts = DURATION.exec(text)?.slice(1);
  const seconds = parts && Math.ceil(SECONDS.reduce((sum, unit, n) => sum + unit * Number(parts[n] ?? 0), 0));
  const refused = (message: string): Problem => new Problem('GENERAL_VALIDATION_ERROR', message);
  if (seconds === undefined)
    throw refused(`keepFor is not an ISO 8601 duration: ${JSON.stringify(text.slice(0, 100))}. Give one such as P30D or PT1H.`);
  if (seconds === 0) throw refused('keepFor is 0. Give a longer time, or leave it out.');
  const bound = longest === 0 ? LONGEST_SECONDS : longest / 1_000;
  if (seconds > bound) throw refused(`keepFor is too long. This server keeps data for at most ${bound} seconds after the end of a stream.`);
  return seconds;
};

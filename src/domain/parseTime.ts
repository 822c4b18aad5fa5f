import { Problem } from './problem.ts';

const ISO = /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|[+ -]\d{2}(?::?\d{2})?)?)?$/i;

/**
 * Parses an ISO 8601 date or time to milliseconds since the epoch (negative before it); `null` if invalid. Times without an offset are UTC, whatever
 * the server's time zone is. Accepts a space before the offset, which is a `+` decoded from a query.
 */
export const parseTime = (text: string): number | null => {
  const [, date, time = '00:00', zone = 'Z'] = ISO.exec(text) ?? [];
  if (date === undefined) return null;
  const parsed = Date.parse(`${date}T${time}${offset(zone)}`);
  // `Date.parse` turns February 30th into March.
  const isDay = Number.isFinite(parsed) && new Date(`${date}T00:00Z`).toISOString().startsWith(date);
  return isDay ? parsed : null;
};

/** Converts to the form in events and read models. Cuts fractions finer than a millisecond. Throws 400 for an invalid time. */
export const timeOf = (text: string, name: string, wrong = 'not an ISO 8601 time'): string => {
  const time = parseTime(text);
  if (time !== null) return new Date(time).toISOString();
  const nested = [new Problem('GENERAL_VALIDATION_ERROR', `${name}: is ${wrong}`)];
  throw new Problem('GENERAL_VALIDATION_ERROR', `${name} is ${wrong}. Give one such as 2026-03-01T00:00:00Z.`, { nested });
};

const offset = (zone: string): string => {
  if (/^z$/i.test(zone)) return 'Z';
  const minutes = zone.slice(3).replace(':', '') || '00';
  return `${zone[0] === '-' ? '-' : '+'}${zone.slice(1, 3)}:${minutes}`;
};

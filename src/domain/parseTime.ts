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

const offset = (zone: string): string => {
  if (/^z$/i.test(zone)) return 'Z';
  const minutes = zone.slice(3).replace(':', '') || '00';
  return `${zone[0] === '-' ? '-' : '+'}${zone.slice(1, 3)}:${minutes}`;
};

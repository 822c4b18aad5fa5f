/** A weekday, a date and a time: all three forms of RFC 9110. `Date.parse` makes a date of other words too. */
const HTTP_DATE = /^(mon|tue|wed|thu|fri|sat|sun)[a-z]*,? .*\d\d:\d\d:\d\d/i;
const ZONED = /(GMT|UTC|Z|[+-]\d{4})$/i;

/** `Retry-After` in milliseconds from now, 0 for a time in the past: seconds (some servers send fractions) or an HTTP date. `null` for an invalid value. */
export const parseRetryAfter = (header: string | readonly string[] | undefined, now: number): number | null => {
  const text = String(header ?? '').trim();
  if (/^\d{1,9}(\.\d{1,3})?$/.test(text)) return Number(text) * 1_000;
  if (!HTTP_DATE.test(text)) return null;
  // HTTP dates are in GMT, also in the form without a zone, which `Date.parse` would read as local time.
  const at = Date.parse(ZONED.test(text) ? text : `${text} GMT`);
  return Number.isNaN(at) ? null : Math.max(0, at - now);
};

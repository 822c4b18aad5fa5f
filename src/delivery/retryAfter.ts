/** A weekday, a date and a time: all three forms of RFC 9110. `Date.parse` makes a date of other words too. */
const HTTP_DATE = /^(mon|tue|wed|thu|fri|sat|sun)[a-z]*,? .*\d\d:\d\d:\d\d/i;
const ZONED = /(GMT|UTC|Z|[+-]\d{4})$/i;

/** `Retry-After` in milliseconds from now: seconds or an HTTP date. `null` for an invalid value and for a time in the past. */
export const parseRetryAfter = (header: string | undefined, now: number): number | null => {
  const text = header?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text) > 0 ? Number(text) * 1000 : null;
  if (!HTTP_DATE.test(text)) return null;
  // HTTP dates are in GMT, also in the form without a zone, which `Date.parse` would read as local time.
  const left = Date.parse(ZONED.test(text) ? text : `${text} GMT`) - now;
  return left > 0 ? left : null;
};

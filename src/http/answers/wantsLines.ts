const LINES = 'application/x-ndjson';
/** JSON media ranges of an `Accept` header, most specific first. */
const JSON_RANGES = ['application/json', 'application/*', '*/*'];

/**
 * Whether an `Accept` header names NDJSON with at least the weight of JSON (RFC 9110, section 12.5.1). A wildcard alone means JSON.
 */
export const wantsLines = (accept: string | undefined): boolean => {
  if (accept === undefined || !accept.toLowerCase().includes(LINES)) return false;
  const weights = new Map(accept.toLowerCase().split(',').map(weightOf));
  const lines = weights.get(LINES) ?? 0;
  const range = JSON_RANGES.find((one) => weights.has(one));
  return lines > 0 && lines >= (range === undefined ? 0 : (weights.get(range) ?? 0));
};

/** A media range and its weight, which is 1 if missing or not a number. */
const weightOf = (range: string): [string, number] => {
  const [type = '', ...parameters] = range.split(';').map((part) => part.trim());
  const weight = Number(parameters.find((one) => one.startsWith('q='))?.slice(2) ?? 1);
  return [type, Number.isNaN(weight) ? 1 : weight];
};

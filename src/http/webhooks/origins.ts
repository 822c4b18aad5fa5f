import type { EndpointDocument } from '../../projections/endpoints.ts';

/** The attempts of an owner's endpoints at one origin: the deliverer holds the origin, not the endpoint. Times are ISO 8601. */
export interface OriginSeries {
  /** In a row, since the last success at any of the endpoints. */
  readonly failures: number;
  /** The first of them, as far as it is known. */
  readonly since: string | null;
  readonly lastFailure: string | null;
  readonly reason: string | null;
}

const NO_FAILURE: OriginSeries = { failures: 0, since: null, lastFailure: null, reason: null };

/** `documents`: all endpoints of the owners. */
export const seriesByOrigin = (documents: readonly EndpointDocument[]): ((subject: string, url: string) => OriginSeries) => {
  const together = new Map<string, EndpointDocument[]>();
  for (const document of documents) {
    const key = keyOf(document.subject, document.url);
    together.set(key, [...(together.get(key) ?? []), document]);
  }
  return (subject, url) => seriesOf(together.get(keyOf(subject, url)) ?? []);
};

/** Without a URL, its owner has been erased. */
const keyOf = (subject: string, url: string): string => `${subject} ${URL.parse(url)?.origin ?? ''}`;

const seriesOf = (documents: readonly EndpointDocument[]): OriginSeries => {
  const lastSuccess = latest(documents.map(({ totals }) => totals.lastSuccess));
  const failing = documents
    .map(({ totals }) => totals)
    .filter(({ lastFailure }) => lastFailure !== null && !(lastSuccess && lastFailure <= lastSuccess));
  const newest = failing.reduce<EndpointDocument['totals'] | null>(
    (a, b) => (a && (a.lastFailure ?? '') >= (b.lastFailure ?? '') ? a : b),
    null,
  );
  if (!newest) return NO_FAILURE;
  const counted = failing.map(({ failures, failingSince, recentFailures }) => {
    if (failingSince !== null && !(lastSuccess && failingSince <= lastSuccess)) return { failures, since: failingSince };
    // Another endpoint has worked since this one began to fail.
    const after = recentFailures.filter((at) => at > (lastSuccess ?? ''));
    return { failures: after.length, since: after[0] ?? null };
  });
  const since = counted.flatMap((one) => one.since ?? []).sort()[0] ?? null;
  const failures = counted.reduce((sum, one) => sum + one.failures, 0);
  return { failures, since, lastFailure: newest.lastFailure, reason: newest.reason };
};

const latest = (times: readonly (string | null)[]): string | null =>
  times.reduce((a, b) => (a !== null && (b === null || a >= b) ? a : b), null);

export interface RateLimitState {
  /** `wrong-credentials` or `concurrent-streams`. */
  readonly name: string;
  readonly quota: number;
  /** `null` for a limit of concurrent things, which has no window. */
  readonly windowSeconds: number | null;
  readonly remaining: number;
  /** Seconds until the limit is reset; `null` if unknown. */
  readonly resetSeconds: number | null;
}

/** The headers that show a limit to callers: draft-ietf-httpapi-ratelimit-headers, as structured fields. */
export const rateLimitHeaders = ({
  name,
  quota,
  windowSeconds,
  remaining,
  resetSeconds,
}: RateLimitState): Readonly<Record<string, string>> => ({
  'RateLimit-Policy': `"${name}";q=${quota}${windowSeconds === null ? '' : `;w=${windowSeconds}`}`,
  RateLimit: `"${name}";r=${Math.max(0, remaining)}${resetSeconds === null ? '' : `;t=${resetSeconds}`}`,
});

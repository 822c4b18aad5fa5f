import { isIP } from 'node:net';
import { isAllowedByOperator, judgeAddress } from './address.ts';
import type { Range } from './ranges.ts';

export interface UrlGuard {
  /** The operator's allowed ranges. */
  readonly allow: readonly Range[];
  /** Resolves a name to all its addresses. Rejects or returns an empty list for an unknown name. Called only if `allow` could permit a refused name. */
  readonly resolve: (name: string) => Promise<readonly string[]>;
}

const INWARD_SUFFIXES = ['.localhost', '.local', '.internal', '.home.arpa'];

/** Characters that the URL parser removes silently: control characters, and spaces at the ends. */
const hasStripped = (text: string): boolean =>
  text !== text.trim() || [...text].some((character) => character <= '\x1f' || character === '\x7f');

/**
 * User information, also empty (`http://@host`), which the parser removes silently. It begins after a colon, or after the slashes that follow one.
 * Backtracking in one repetition never starts another one again, so the pattern takes linear time: a redirect may contain 16 KB of colons.
 */
const hasUserInfo = (text: string): boolean => /^(?:[^/\\?#:]*:[^/\\?#]*|[^/\\?#]*:[/\\]+[^/\\?#]*)@/.test(text);

/** Whether a name is acceptable without resolving it: it has several labels and no internal suffix. In lower case, without a final dot. */
export const judgeName = (name: string): boolean => {
  const labels = name.split('.');
  if (labels.length < 2 || labels.includes('')) return false;
  return !INWARD_SUFFIXES.some((suffix) => `.${name}`.endsWith(suffix));
};

const parsedUrl = (text: string): URL | null => {
  if (hasStripped(text) || hasUserInfo(text) || !URL.canParse(text)) return null;
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return null;
  if (url.username !== '' || url.password !== '' || url.port === '0') return null;
  if (url.hostname.endsWith('.')) url.hostname = url.hostname.slice(0, -1);
  return url.hostname === '' || url.hostname.endsWith('.') ? null : url;
};

const isSaved = async (name: string, { allow, resolve }: UrlGuard): Promise<boolean> => {
  if (allow.length === 0) return false;
  const addresses = await resolve(name).catch(() => []);
  return addresses.length > 0 && addresses.every((address) => isAllowedByOperator(address, allow));
};

/**
 * Checks the text of a caller's URL: scheme, user information, port, address literals and names. Does not resolve an acceptable name (each connection
 * does); a refused name is allowed if all its addresses are in the operator's ranges. `null` for a refused URL. Store and use only `href`, never the
 * original text.
 */
export const judgeUrl = async (text: string, guard: UrlGuard): Promise<URL | null> => {
  const url = parsedUrl(text);
  if (!url) return null;
  const host = url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname;
  const good = isIP(host) ? judgeAddress(host, guard.allow) : judgeName(host) || (await isSaved(host, guard));
  return good ? url : null;
};

/** For callers that need only the `href` of a URL; `null` for a refused one. */
export const hrefJudge =
  (guard: UrlGuard) =>
  async (text: string): Promise<string | null> =>
    (await judgeUrl(text, guard))?.href ?? null;

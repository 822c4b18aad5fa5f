import { isIP } from 'node:net';
import { isAllowedByOperator, judgeAddress } from './address.ts';
import type { Range } from './ranges.ts';

/** `href` is what to store and to use: the text itself is never used again. */
export type JudgedUrl = { readonly ok: true; readonly href: string; readonly url: URL } | { readonly ok: false };

export interface UrlGuard {
  /** The operator's ranges. */
  readonly allow: readonly Range[];
  /** Every address of a name; rejects or gives none when there is no such name. Called only when `allow` might save a refused name. */
  readonly resolve: (name: string) => Promise<readonly string[]>;
}

const REFUSED: JudgedUrl = { ok: false };
const INWARD_SUFFIXES = ['.localhost', '.local', '.internal', '.home.arpa'];

/** What the parser strips without a word: control characters, and spaces at the ends. */
const hasStripped = (text: string): boolean =>
  text !== text.trim() || [...text].some((character) => character <= '\x1f' || character === '\x7f');

/** User information, an empty one too (`http://@host`), which the parser drops without a word. */
const hasUserInfo = (text: string): boolean => /^[^/\\?#]*:[/\\]*[^/\\?#]*@/.test(text);

/** Whether a name may be used without looking at its addresses: it has several labels and no inward ending. In lower case, without a last dot. */
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
 * Judges a URL that a caller sent, as text: scheme, user information, port, address literals, names. A good name is not resolved here
 * (it is at each connection); one that the rules refuse is saved when all its addresses lie in the operator's ranges.
 */
export const judgeUrl = async (text: string, guard: UrlGuard): Promise<JudgedUrl> => {
  const url = parsedUrl(text);
  if (!url) return REFUSED;
  const host = url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname;
  const good = isIP(host) ? judgeAddress(host, guard.allow) : judgeName(host) || (await isSaved(host, guard));
  return good ? { ok: true, href: url.href, url } : REFUSED;
};

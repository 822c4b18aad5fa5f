import type { Readable } from 'node:stream';
import { brokenOffBy } from '../../stores/pump.ts';

/** A body that is one URL, or the beginning of a body of bytes. `head` has been read. */
export type LinkOrBytes =
  | { readonly kind: 'link'; readonly url: string; readonly head: Buffer }
  | { readonly kind: 'bytes'; readonly head: Buffer };

const MAX_LINK_BYTES = 8_192;
const SCHEMES = ['http://', 'https://'];

/** Whether the bytes so far may be the start of a link. */
const mayBeLink = (head: Buffer): boolean => {
  if (head.length > MAX_LINK_BYTES) return false;
  const start = head.subarray(0, 'https://'.length).toString('latin1').toLowerCase();
  return SCHEMES.some((scheme) => start.startsWith(scheme.slice(0, start.length)));
};

/** One http(s) URL as UTF-8 text, optionally followed by line breaks and spaces; `null` for anything else. */
const linkOf = (body: Buffer): string | null => {
  if (!mayBeLink(body)) return null;
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body).trimEnd();
    return /^https?:\/\/\S+$/i.test(text) ? text : null;
  } catch {
    return null;
  }
};

/**
 * Reads a body while it may be a link: to its end if it is one, otherwise to the first byte that no link has, or 8 KiB. The stream is then paused.
 * Rejects with `BrokenOff` if the client leaves before that is clear.
 */
export const readLinkOrBytes = (body: Readable): Promise<LinkOrBytes> =>
  new Promise((resolve, reject) => {
    let head: Buffer = Buffer.alloc(0);
    const settle = (outcome: () => void): void => {
      body.off('data', onData).off('end', onEnd).off('error', onBroken).off('close', onBroken);
      outcome();
    };
    const bytes = (): void => settle(() => resolve({ kind: 'bytes', head }));
    const onData = (chunk: Buffer): void => {
      head = head.length === 0 ? chunk : Buffer.concat([head, chunk]);
      if (mayBeLink(head)) return;
      body.pause();
      bytes();
    };
    const onEnd = (): void => {
      const url = linkOf(head);
      if (url === null) bytes();
      else settle(() => resolve({ kind: 'link', url, head }));
    };
    const onBroken = (): void => settle(() => reject(brokenOffBy(body.errored)));
    body.on('data', onData).on('end', onEnd).on('error', onBroken).on('close', onBroken);
    // The client may have left while the upload was prepared; a closed body emits nothing more.
    if (body.destroyed) onBroken();
  });

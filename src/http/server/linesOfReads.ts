import type { IncomingMessage } from 'node:http';

/** A blank line counts as this many more: it ends the headers of a request, and a request takes as long as some chunks. */
const BLANK_LINE_WEIGHT = 32;

const LINE_END = Buffer.from('\r\n');
const LINE_FEED = 10;
/** Chunks are not followed behind a longer line with a size: Node accepts any number of zeros before it. */
const MOST_LINE_LENGTH = 1_024;

/** A place in the body of a request. */
export interface Body {
  /** Whether `Transfer-Encoding` divides it. */
  readonly isChunked: boolean;
  /** Bytes until the body ends; with chunks, until the line end of the current chunk. */
  readonly left: number;
  /** The begun line with the size of the next chunk. */
  readonly line: string;
}

/** The first bytes of a read. */
export interface Piece {
  /** In bytes. */
  readonly length: number;
  /** More lines follow than were asked for. */
  readonly isDense: boolean;
  /** It ends with the headers of a request. */
  readonly isHead: boolean;
  /** The place in the body behind it; `null` outside of a body, or if that is not known. */
  readonly body: Body | null;
}

/** The place in what a connection sends at which a read begins. */
export interface Place {
  readonly lastRequest: IncomingMessage | null;
  readonly body: Body | null;
}

/**
 * The first bytes of a read that can be parsed together, with at most this many lines. HTTP separates requests, headers and chunks by line ends, so lines
 * tell how long parsing takes. Lines within a body or a chunk do not count. The headers of a request with a body are a piece of their own where the
 * lines of the body could be mistaken for others.
 */
export const pieceOf = ({ lastRequest, body }: Place, bytes: Buffer, lines: number): Piece => {
  if (body?.isChunked) return chunksOf(body, bytes, lines);
  if (body) return bytesOf(body, bytes);
  const { length, headEnd } = firstLines(bytes, lines);
  const isDense = length < bytes.length;
  const isBetween = !lastRequest || lastRequest.complete;
  if (isBetween && headEnd > 0 && announcesBody(bytes.toString('latin1', 0, headEnd), isDense))
    return { length: headEnd, isDense: false, isHead: true, body: null };
  return { length, isDense, isHead: false, body: null };
};

const bytesOf = ({ left }: Body, bytes: Buffer): Piece => {
  const length = Math.min(left, bytes.length);
  return { length, isDense: false, isHead: false, body: left > length ? { isChunked: false, left: left - length, line: '' } : null };
};

/** Follows chunks, whose lines have their sizes. Ends behind the line of the last chunk. */
const chunksOf = (body: Body, bytes: Buffer, lines: number): Piece => {
  let { left, line } = body;
  let at = 0;
  for (let counted = 0; at < bytes.length && counted < lines; ) {
    const skipped = Math.min(left, bytes.length - at);
    left -= skipped;
    at += skipped;
    if (at === bytes.length) break;
    const end = bytes.indexOf(LINE_FEED, at);
    line += bytes.toString('latin1', at, end < 0 ? bytes.length : end);
    at = end < 0 ? bytes.length : end + 1;
    if (line.length > MOST_LINE_LENGTH) return { length: at, isDense: false, isHead: false, body: null };
    if (end < 0) break;
    const size = Number.parseInt(line, 16);
    line = '';
    if (!(size > 0)) return { length: at, isDense: false, isHead: false, body: null };
    left = size + LINE_END.length;
    counted += 2;
  }
  return { length: at, isDense: at < bytes.length, isHead: false, body: { isChunked: true, left, line } };
};

/** Whether the headers announce a body whose own lines need not be counted, or, if there are few lines, one with chunks to follow. */
const announcesBody = (head: string, isDense: boolean): boolean =>
  (isDense ? /\r\n(content-length|transfer-encoding):/i : /\r\ntransfer-encoding:/i).test(head);

/** Length of the first lines up to this count, and of the headers if they end there. */
const firstLines = (bytes: Buffer, lines: number): { length: number; headEnd: number } => {
  let headEnd = 0;
  let counted = 0;
  for (let at = bytes.indexOf(LINE_END); at >= 0; at = bytes.indexOf(LINE_END, at)) {
    at += LINE_END.length;
    const isBlank = bytes[at] === LINE_END[0] && bytes[at + 1] === LINE_END[1];
    if (isBlank) headEnd ||= at + LINE_END.length;
    counted += isBlank ? 1 + BLANK_LINE_WEIGHT : 1;
    if (counted >= lines) return { length: at, headEnd };
  }
  return { length: bytes.length, headEnd };
};

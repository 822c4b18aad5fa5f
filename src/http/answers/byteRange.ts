import { parse } from 'range-parser';

/** A range of bytes, both ends inclusive. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

const UNSATISFIABLE = 2;

/**
 * Parses a `Range` header (RFC 9110, section 14.2) for a body of `size` bytes. `null`: the whole body, also for several ranges or an invalid header, as
 * the RFC allows. `unsatisfiable`: the range is outside the body.
 */
export const byteRange = (header: string | undefined, size: number): ByteRange | null | 'unsatisfiable' => {
  const { code, type, ranges } = parse(size, header ?? '');
  const [range] = ranges;
  if (type !== 'bytes' || ranges.length > 1) return null;
  if (!range) return code === UNSATISFIABLE ? 'unsatisfiable' : null;
  return { first: range.start, last: range.end };
};

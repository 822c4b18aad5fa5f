/** Some bytes of a whole: both ends are inside. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

const ONE_RANGE = /^bytes=(\d*)-(\d*)$/i;

/**
 * What a `Range` header (RFC 9110, 14.2) asks for of `size` bytes: `null` for everything, also when it asks for several ranges or cannot be
 * understood, as the RFC allows; `unsatisfiable` when none of it is there.
 */
export const byteRange = (header: string | undefined, size: number): ByteRange | null | 'unsatisfiable' => {
  const [, from = '', to = ''] = ONE_RANGE.exec(header?.trim() ?? '') ?? [];
  if (from === '' && to === '') return null;
  // Without a beginning it is the last so many bytes.
  const first = from === '' ? Math.max(0, size - Number(to)) : Number(from);
  const last = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1);
  if (from !== '' && to !== '' && Number(to) < Number(from)) return null;
  return first > last ? 'unsatisfiable' : { first, last };
};

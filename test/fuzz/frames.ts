import fc from 'fast-check';

/** A frame as in RFC 6455, or a malformed one. */
interface Frame {
  readonly first: number;
  readonly masked: boolean;
  readonly mask: number;
  /** Encoding of the length: the shortest, or a longer one. */
  readonly width: 'short' | 16 | 64;
  /** Difference between the announced and the real length. */
  readonly lie: bigint;
  readonly payload: Buffer;
}

const closing = fc.tuple(fc.integer({ min: 0, max: 65_535 }), fc.uint8Array({ maxLength: 130 })).map(([code, reason]) => {
  const head = Buffer.alloc(2);
  head.writeUInt16BE(code);
  return Buffer.concat([head, reason]);
});
const words = fc
  .oneof(
    fc.constantFrom(
      ...['{"type":"KEEP_ALIVE"}', '{"type":"END_OF_STREAM"}', '{"type":"CONFIGURATION","patches":{}}', '{"type":"DATA"}', '{"type":1}'],
      ...['{"__proto__":{"type":"KEEP_ALIVE"}}', '['.repeat(5_000), 'null', ''],
    ),
    fc.json(),
    fc.string({ unit: 'binary' }),
  )
  .map((text) => Buffer.from(text));
const payload = fc.oneof(
  words,
  closing,
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  fc.integer({ min: 126, max: 70_000 }).map((size) => Buffer.alloc(size, 7)),
);

/** Mostly well formed, so that the code behind the frames is reached too. */
const first = fc.oneof(fc.constantFrom(0x81, 0x82, 0x81, 0x82, 0x01, 0x02, 0x00, 0x80, 0x88, 0x89, 0x8a), fc.integer({ min: 0, max: 255 }));
const mostly = <T>(usual: T, other: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  fc.oneof({ weight: 9, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: other });
const frame: fc.Arbitrary<Frame> = fc.record({
  first,
  masked: mostly(true, fc.constant(false)),
  mask: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  width: mostly<Frame['width']>('short', fc.constantFrom(16, 64)),
  lie: mostly(0n, fc.constantFrom(1n, 1_000n, 2n ** 31n, 2n ** 53n, 2n ** 63n)),
  payload,
});

const lengthOf = (size: bigint, width: Frame['width'], masked: boolean): Buffer => {
  const bit = masked ? 0x80 : 0;
  if (width === 64 || size > 65_535n) {
    const bytes = Buffer.alloc(9);
    bytes[0] = bit | 127;
    bytes.writeBigUInt64BE(size, 1);
    return bytes;
  }
  if (width === 'short' && size < 126n) return Buffer.from([bit | Number(size)]);
  return Buffer.from([bit | 126, Number(size >> 8n), Number(size & 255n)]);
};

const written = ({ first: head, masked, mask, width, lie, payload: plain }: Frame): Buffer => {
  const key = Buffer.alloc(4);
  key.writeUInt32BE(mask);
  const hidden = masked ? plain.map((byte, index) => byte ^ (key[index % 4] ?? 0)) : plain;
  return Buffer.concat([Buffer.from([head]), lengthOf(BigInt(plain.length) + lie, width, masked), masked ? key : Buffer.alloc(0), hidden]);
};

/** A client's data in the pieces that it sends; the end may be missing. */
export const conversation = fc
  .tuple(
    fc.array(frame, { minLength: 1, maxLength: 5 }),
    mostly(1, fc.double({ min: 0, max: 1, noNaN: true })),
    fc.integer({ min: 1, max: 5 }),
  )
  .map(([frames, cut, pieces]) => {
    const whole = Buffer.concat(frames.map(written));
    const bytes = whole.subarray(0, Math.ceil(whole.length * cut));
    const size = Math.max(1, Math.ceil(bytes.length / pieces));
    return Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) => bytes.subarray(n * size, (n + 1) * size));
  });

/** Opcode and payload of each whole frame from a server: unmasked, without extensions. */
export const framesOf = (bytes: Buffer): { opcode: number; payload: Buffer }[] => {
  const frames: { opcode: number; payload: Buffer }[] = [];
  for (let at = 0; at + 2 <= bytes.length; ) {
    const short = (bytes[at + 1] ?? 0) & 0x7f;
    const begin = at + 2 + (short === 126 ? 2 : short === 127 ? 8 : 0);
    if (begin > bytes.length) break;
    const size = short === 126 ? bytes.readUInt16BE(at + 2) : short === 127 ? Number(bytes.readBigUInt64BE(at + 2)) : short;
    if (begin + size > bytes.length) break;
    frames.push({ opcode: (bytes[at] ?? 0) & 0x0f, payload: bytes.subarray(begin, begin + size) });
    at = begin + size;
  }
  return frames;
};

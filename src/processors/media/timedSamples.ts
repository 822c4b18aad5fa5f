/** Samples of one packet: 16 bits, little-endian, the channels side by side. */
export interface TimedSamples {
  /** Presentation time of the first sample, in milliseconds. */
  readonly at: number;
  readonly channels: number;
  readonly data: Buffer;
}

const MAGIC_BYTES = 16;
const HEADER_BYTES = 8;
const PACKET_BYTES = 12;

/**
 * Reads the SMJPEG format of ffmpeg (`-f smjpeg`), the simplest one that names the time and the size of each packet of samples. Header chunks have
 * a name and a length, `_SND` among them holds the number of channels; a packet is `sndD`, its time, its size and its data. Numbers are big-endian.
 */
export async function* timedSamples(stdout: AsyncIterable<Buffer>): AsyncGenerator<TimedSamples> {
  let rest: Buffer = Buffer.alloc(0);
  let channels = 1;
  let at = MAGIC_BYTES;
  for await (const chunk of stdout) {
    rest = rest.byteLength === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (;;) {
      const size = sizeAt(rest, at);
      if (size === null || at + size > rest.byteLength) break;
      const name = rest.toString('latin1', at, at + 4);
      if (name === '_SND') channels = Math.max(1, rest.readUInt8(at + HEADER_BYTES + 3));
      if (name === 'sndD') yield { at: rest.readInt32BE(at + 4), channels, data: rest.subarray(at + PACKET_BYTES, at + size) };
      at += size;
    }
    const passed = Math.min(at, rest.byteLength);
    rest = rest.subarray(passed);
    at -= passed;
  }
}

/** Size of the chunk at this place; `null` if its head is not there yet. */
const sizeAt = (bytes: Buffer, at: number): number | null => {
  if (at + 4 > bytes.byteLength) return null;
  const name = bytes.toString('latin1', at, at + 4);
  if (name === 'HEND' || name === 'DONE') return 4;
  if (name === 'sndD') return at + PACKET_BYTES > bytes.byteLength ? null : PACKET_BYTES + bytes.readUInt32BE(at + 8);
  return at + HEADER_BYTES > bytes.byteLength ? null : HEADER_BYTES + bytes.readUInt32BE(at + 4);
};

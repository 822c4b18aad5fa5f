import type { MediaFacts } from './mediaFacts.ts';

const PCM = 1;
const FLOAT = 3;
const EXTENSIBLE = 0xfffe;

interface Format {
  readonly sampleRate: number;
  readonly channels: number;
  readonly bytesPerSecond: number;
}

const formatAt = (head: DataView, at: number): Format | null => {
  const tag = head.getUint16(at, true);
  const channels = head.getUint16(at + 2, true);
  const sampleRate = head.getUint32(at + 4, true);
  const bytesPerSecond = (sampleRate * channels * head.getUint16(at + 14, true)) / 8;
  const plain = tag === PCM || tag === FLOAT || tag === EXTENSIBLE;
  return plain && bytesPerSecond > 0 ? { sampleRate, channels, bytesPerSecond } : null;
};

/**
 * Reads the header of a PCM WAV file; `null` for everything else. `head` is the beginning of the file, `size` its length in bytes. The duration is
 * computed from `size`: the length in the header may be wrong, or unset as in a file written to a pipe. With `stated` it is the shorter one of both.
 */
export const readWavHeader = (head: Uint8Array, size: number, { stated = false } = {}): MediaFacts | null => {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  const name = (at: number) => String.fromCharCode(...head.subarray(at, at + 4));
  if (head.byteLength < 12 || !['RIFF', 'RF64'].includes(name(0)) || name(8) !== 'WAVE') return null;
  let format: Format | null = null;
  for (let at = 12; at + 8 <= head.byteLength; ) {
    const length = view.getUint32(at + 4, true);
    const body = at + 8;
    if (name(at) === 'fmt ' && length >= 16 && body + 16 <= head.byteLength) format = formatAt(view, body);
    if (name(at) === 'data') {
      if (!format) return null;
      const { sampleRate, channels, bytesPerSecond } = format;
      const present = Math.max(0, size - body);
      const bytes = stated && length > 0 ? Math.min(present, length) : present;
      const milliseconds = Math.round((bytes / bytesPerSecond) * 1_000);
      return { sampleRate, channels, milliseconds, track: 0, soundTracks: 1, begins: 0, parts: [{ start: 0, end: size }], rest: 0 };
    }
    at = body + length + (length % 2);
  }
  return null;
};

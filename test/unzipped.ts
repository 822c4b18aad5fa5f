import { inflateRawSync } from 'node:zlib';

const DIRECTORY_END = 0x06054b50;
const NAMES_IN_UTF8 = 0x800;

/** The files of a ZIP archive by name, in order (without ZIP64). */
export const unzipped = (archive: Uint8Array): Map<string, Buffer> => {
  const bytes = Buffer.from(archive);
  let end = bytes.length - 22;
  while (bytes.readUInt32LE(end) !== DIRECTORY_END) end -= 1;
  const files = new Map<string, Buffer>();
  let at = bytes.readUInt32LE(end + 16);
  for (let n = bytes.readUInt16LE(end + 10); n > 0; n -= 1) {
    const [method, size, local] = [bytes.readUInt16LE(at + 10), bytes.readUInt32LE(at + 20), bytes.readUInt32LE(at + 42)];
    const [nameLength, extra, comment] = [28, 30, 32].map((offset) => bytes.readUInt16LE(at + offset)) as [number, number, number];
    const encoding = bytes.readUInt16LE(at + 8) & NAMES_IN_UTF8 ? 'utf8' : 'latin1';
    const name = bytes.toString(encoding, at + 46, at + 46 + nameLength);
    const from = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
    const content = bytes.subarray(from, from + size);
    files.set(name, method === 0 ? content : inflateRawSync(content));
    at += 46 + nameLength + extra + comment;
  }
  return files;
};

import { createHash } from 'node:crypto';
import type { Json } from '../../json.ts';

/** A named input. */
export type Sample = readonly [name: string, body: string | Uint8Array];

const MAX_LINE_BYTES = 1_048_576;

/** Texts that often break processors. */
export const TEXTS: readonly (readonly [string, string])[] = [
  ['one word', 'hello'],
  ['one character', 'x'],
  ['nothing at all', ''],
  ['only white space', ' \n\t '],
  ['several lines', 'one\ntwo\nthree\n'],
  ['Windows line ends', 'one\r\ntwo\r\n'],
  ['quotes and backslashes', '"a" \\ \'b\' \\n'],
  ['braces that look like JSON', '{"end": true}'],
  ['a line that looks like an answer', '{"output": "x"}\n{"end": true}\n'],
  ['angle brackets and ampersands', '<script>&amp;</script>'],
  ['accents', 'Señor Müller à Șișești'],
  ['Greek and Cyrillic', 'Καλημέρα, мир'],
  ['Chinese, Japanese and Korean', '你好 こんにちは 안녕'],
  ['right-to-left text', 'שלום مرحبا'],
  ['characters beyond the basic plane', '👩‍👩‍👧‍👦 𝄞 😀'],
  ['combining characters', 'e\u0301 n\u0303'],
  ['a byte order mark', '\ufeffhello'],
  ['a zero byte', 'a\u0000b'],
  ['control characters', '\u0001\u001b[31m\u007f'],
  ['line separators of Unicode', 'a\u2028b\u2029c'],
  ['an e-mail address', 'Write to ana@example.org.'],
  ['a very long line', 'x'.repeat(200_000)],
  ['many lines', 'line\n'.repeat(20_000)],
  ['a megabyte', 'abc '.repeat(262_144)],
];

/** Bytes that look random but are the same in every run. */
const noise = (length: number): Buffer => {
  const blocks = Array.from({ length: Math.ceil(length / 32) }, (_, n) => createHash('sha256').update(String(n)).digest());
  return Buffer.concat(blocks).subarray(0, length);
};

const silence = (): Buffer => {
  const head = Buffer.from('RIFF\0\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x80\x3e\0\0\0\x7d\0\0\x02\0\x10\0data\0\0\0\0', 'latin1');
  head.writeUInt32LE(36 + 32_000, 4);
  head.writeUInt32LE(32_000, 40);
  return Buffer.concat([head, Buffer.alloc(32_000)]);
};

export const BYTES: readonly Sample[] = [
  ['nothing at all', Buffer.alloc(0)],
  ['one byte', Buffer.of(7)],
  ['one zero', Buffer.of(0)],
  ['zeros', Buffer.alloc(1_000)],
  ['every value of a byte', Buffer.from(Array.from({ length: 256 }, (_, n) => n))],
  ['only high bytes', Buffer.alloc(1_000, 0xff)],
  ['only line feeds', Buffer.alloc(1_000, 10)],
  ['no line feed in 300 KiB', Buffer.alloc(300_000, 120)],
  ['Windows line ends', Buffer.from('one\r\ntwo\r\n')],
  ['text', Buffer.from('hello')],
  ['text in other scripts', Buffer.from('Καλημέρα 你好 😀')],
  ['text in UTF-16', Buffer.from('\ufeffhello', 'utf16le')],
  ['half a character', Buffer.from('你').subarray(0, 2)],
  ['a line that looks like an answer', Buffer.from('{"output": "eA=="}\n{"end": true}\n')],
  ['what looks like a chunk of HTTP', Buffer.from('5\r\nhello\r\n0\r\n\r\n')],
  ['the start of a gzip file', Buffer.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0)],
  ['the start of a PNG image', Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')],
  ['a second of silence as WAV', silence()],
  ['a WAV file that is cut off', silence().subarray(0, 1_001)],
  ['a thousand bytes of noise', noise(1_000)],
  ['64 KiB of noise', noise(65_536)],
  ['one byte more than 64 KiB', noise(65_537)],
  ['a megabyte of noise', noise(1_048_576)],
  ['four megabytes of zeros', Buffer.alloc(4 * 1_048_576)],
];

const line = (payload: Json): string => `${JSON.stringify(payload)}\n`;

type Path = readonly (string | number)[];

const leaves = (value: Json, path: Path = []): { path: Path; value: Json }[] => {
  if (typeof value !== 'object' || value === null) return [{ path, value }];
  const members = Array.isArray(value) ? value.entries() : Object.entries(value);
  return [...members].flatMap(([key, member]) => leaves(member, [...path, key]));
};

const replaced = (value: Json, [key, ...rest]: Path, leaf: Json): Json => {
  if (key === undefined || typeof value !== 'object' || value === null) return leaf;
  if (Array.isArray(value)) return value.map((member, n) => (n === key ? replaced(member, rest, leaf) : member));
  return { ...value, [key]: replaced(value[key] ?? null, rest, leaf) };
};

const NUMBERS = [0, 1, -1, 0.1, 1e-7, 1e21];

/** Messages that fit: the examples, few and many of them, and the first example with other texts and numbers in it. */
export const messageSamples = (examples: readonly Json[], fits: (payload: Json) => boolean): Sample[] => {
  const [first = null] = examples;
  const all = leaves(first);
  const texts = all.filter(({ value }) => typeof value === 'string').sort((a, b) => String(b.value).length - String(a.value).length);
  const numbers = all.filter(({ value }) => typeof value === 'number');
  const changed = [
    ...TEXTS.map(([name, text]) => ({ name: `a message with ${name}`, at: texts[0], value: text })),
    ...numbers.slice(0, 3).flatMap((at) => NUMBERS.map((value) => ({ name: `a message with ${at.path.join('.')} ${value}`, at, value }))),
  ];
  return [
    ['no message', ''],
    ...examples.map((payload, n): Sample => [`example ${n + 1}`, line(payload)]),
    ['the same message twice', line(first).repeat(2)],
    ...[10, 100, 1_000, 5_000].map((count): Sample => [`${count} messages`, line(first).repeat(count)]),
    ['all examples in one run', examples.map(line).join('')],
    ...changed.flatMap(({ name, at, value }): Sample[] => {
      if (!at) return [];
      const payload = replaced(first, at.path, value);
      return fits(payload) && Buffer.byteLength(line(payload)) <= MAX_LINE_BYTES ? [[name, line(payload)]] : [];
    }),
  ];
};

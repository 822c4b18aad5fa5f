import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { JsonObject } from '../../json.ts';
import { type Answer, ask, type Probe } from './probe.ts';
import { endsOnce, hasNoError, isAnswer, isRefused, linesAreObjects, linesAreShort, outputs, sendsNoEncoding, survives } from './rules.ts';

/** One thing that the platform may do and the expected reaction of a processor. Returns what was wrong, or `null`. */
export interface Case {
  readonly name: string;
  /** Skipped if the processor's secret is unknown. */
  readonly needsSecret?: true;
  run(target: Target): Promise<string | null>;
}

export interface Target {
  readonly url: string;
  readonly secret: string | null;
}

type Rule = (answer: Answer) => string | null;

const probed = (name: string, probe: Probe | (() => Probe), ...rules: Rule[]): Case => ({
  name,
  async run({ url, secret }) {
    const answer = await ask(url, secret, typeof probe === 'function' ? probe() : probe);
    for (const rule of rules) {
      const wrong = rule(answer);
      if (wrong !== null) return wrong;
    }
    return null;
  },
});

const signed = (name: string, probe: Probe, ...rules: Rule[]): Case => ({ ...probed(name, probe, ...rules), needsSecret: true });

async function* pieces(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) {
    yield bytes.subarray(at, at + size);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const ORDINARY: Rule[] = [isAnswer, linesAreObjects, endsOnce, hasNoError];

/** Texts that often break processors. */
const TEXTS: readonly (readonly [string, string])[] = [
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
  ['accents', 'Señor Müller à Şișești'],
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

/** Properties that a template may contain. A processor ignores unknown ones. */
const PROPERTIES: readonly (readonly [string, JsonObject])[] = [
  ['none', {}],
  ['an unknown one', { unknownProperty: true }],
  ['text in other scripts', { note: 'Grüße 你好 😀' }],
  ['numbers that JSON writes in several ways', { a: 1, b: 0.1, c: -5, d: 1e21 }],
  ['nested objects and lists', { list: [1, 'two', { three: [null] }], object: { a: { b: {} } } }],
  ['members in no order', { z: 1, a: 2, m: 3 }],
  ['characters that HTML escapes', { text: '<&>' }],
  ['long text', { text: 'x'.repeat(4_000) }],
];

const sameRun = (): Case => ({
  name: 'answers a repeated attempt of the same run as it did before',
  async run({ url, secret }) {
    const runId = randomUUID();
    const [first, second] = [await ask(url, secret, { runId }), await ask(url, secret, { runId, attempt: 2 })];
    const wrong = isAnswer(second);
    if (wrong !== null) return wrong;
    return JSON.stringify(outputs(first)) === JSON.stringify(outputs(second))
      ? null
      : 'The two answers differ. A run may be sent again after a broken connection: give the same outputs for the same Tributary-Run-Id.';
  },
});

const together = (count: number): Case => ({
  name: `answers ${count} runs at once, each with its own output`,
  async run({ url, secret }) {
    const bodies = Array.from({ length: count }, (_, n) => `run number ${n}`);
    const answers = await Promise.all(bodies.map((body) => ask(url, secret, { body })));
    for (const answer of answers) {
      const wrong = isAnswer(answer) ?? endsOnce(answer);
      if (wrong !== null) return wrong;
    }
    const alone = await ask(url, secret, { body: 'run number 0' });
    return JSON.stringify(outputs(answers[0])) === JSON.stringify(outputs(alone))
      ? null
      : 'The output of a run changed because others ran beside it. Keep nothing of a run in variables that all runs share.';
  },
});

const brokenOff = (): Case => ({
  name: 'still answers after a request was broken off',
  async run({ url, secret }) {
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('the first half');
      throw new Error('broken off');
    }
    await ask(url, secret, { body: Readable.from(broken()) }).catch(() => null);
    return isAnswer(await ask(url, secret));
  },
});

const inARow = (count: number): Case => ({
  name: `answers ${count} runs one after the other`,
  async run({ url, secret }) {
    for (let n = 0; n < count; n++) {
      const wrong = isAnswer(await ask(url, secret, { body: `number ${n}` }));
      if (wrong !== null) return `${wrong} (run ${n + 1})`;
    }
    return null;
  },
});

/** All cases of the conformance suite. */
export const CASES: readonly Case[] = [
  probed('answers 200 with a content type that the platform reads', {}, isAnswer),
  probed('sends lines that are JSON objects', {}, isAnswer, linesAreObjects),
  probed('ends with {"end": true}, once, and sends nothing after it', {}, isAnswer, endsOnce),
  probed('sends no line over 1 MiB', {}, isAnswer, linesAreShort),
  probed('answers without a content encoding', {}, isAnswer, sendsNoEncoding),
  probed('sends outputs that are text', {}, isAnswer, (answer) =>
    outputs(answer).every((output) => typeof output === 'string')
      ? null
      : 'An output is not a string. With outputSchema "string" every output is text.',
  ),
  ...TEXTS.map(([name, body]) => probed(`takes ${name}`, { body }, ...ORDINARY)),
  ...PROPERTIES.map(([name, properties]) => probed(`takes properties: ${name}`, { properties }, ...ORDINARY)),
  probed('reads a body in small chunks', () => ({ body: Readable.from(pieces('hello in many small pieces', 3)) }), ...ORDINARY),
  probed(
    'reads a body whose characters are cut between chunks',
    () => ({ body: Readable.from(pieces('Καλημέρα 你好 😀', 1)) }),
    ...ORDINARY,
  ),
  probed('reads a body in large chunks', () => ({ body: Readable.from(pieces('abc '.repeat(100_000), 65_536)) }), ...ORDINARY),
  probed('reads a body with a Content-Length', { body: 'known length' }, ...ORDINARY),
  probed('takes a later attempt', { attempt: 3 }, ...ORDINARY),
  probed('takes a high attempt number', { attempt: 20 }, ...ORDINARY),
  probed('takes a traceparent', { headers: { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' } }, ...ORDINARY),
  probed('ignores headers that it does not know', { headers: { 'tributary-future-header': 'x' } }, ...ORDINARY),
  probed('survives text that is not UTF-8', { body: Buffer.from([0xff, 0xfe, 0x80]) }, survives),
  probed('survives another content type', { contentType: 'application/octet-stream' }, survives),
  probed('survives properties that are not base64', { headers: { 'tributary-properties': '%%%' } }, survives),
  probed('survives properties that are not JSON', { headers: { 'tributary-properties': 'bm9uc2Vuc2U' } }, survives),
  probed('survives a request without properties', { headers: { 'tributary-properties': null } }, survives),
  probed('survives an attempt that is not a number', { headers: { 'tributary-attempt': 'x' } }, survives),
  probed('refuses GET', { method: 'GET' }, isRefused),
  probed('refuses PUT', { method: 'PUT' }, isRefused),
  sameRun(),
  inARow(20),
  together(4),
  together(16),
  brokenOff(),
  signed('takes a right signature', {}, ...ORDINARY),
  signed('takes a right signature with nested properties', { properties: { b: { d: 1, c: '<é>' }, a: [1, 2] } }, ...ORDINARY),
  signed('takes a right signature with very small and very large numbers', { properties: { a: 1e-7, b: 1e21, c: 0.1 } }, ...ORDINARY),
  signed('takes a right signature with line separators of Unicode', { properties: { text: 'a\u2028b\u2029c' } }, ...ORDINARY),
  signed('takes a right signature behind another one, as during a rotation', { signature: 'two' }, ...ORDINARY),
  signed('refuses a request without a signature', { signature: 'absent' }, isRefused),
  signed('refuses a signature of another secret', { signature: 'wrong key' }, isRefused),
  signed('refuses a signature of another head', { signature: 'other head' }, isRefused),
  signed('refuses a signature that is not base64', { signature: 'garbage' }, isRefused),
  signed('refuses a signature of an hour ago', { signature: 'old' }, isRefused),
  signed('refuses a signature of the future', { signature: 'future' }, isRefused),
  signed('refuses another run id than was signed', { headers: { 'tributary-run-id': '11111111-1111-4111-8111-111111111111' } }, isRefused),
  signed('refuses another attempt than was signed', { headers: { 'tributary-attempt': '9' } }, isRefused),
  signed('refuses other properties than were signed', { headers: { 'tributary-properties': 'eyJhIjoxfQ' } }, isRefused),
  signed(
    'refuses another stream than was signed',
    { headers: { 'tributary-stream-id': '22222222-2222-4222-8222-222222222222' } },
    isRefused,
  ),
  signed('refuses another processor than was signed', { headers: { 'tributary-processor': 'other@1' } }, isRefused),
  signed('refuses a timestamp that is not a number', { headers: { 'webhook-timestamp': 'soon' } }, isRefused),
  signed('refuses a request without a timestamp', { headers: { 'webhook-timestamp': null } }, isRefused),
  probed('still answers at the end', {}, ...ORDINARY),
];

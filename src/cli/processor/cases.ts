import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { JsonObject } from '../../json.ts';
import type { Form } from './forms.ts';
import { type Answer, ask, askAndCancel, type Probe, type Target } from './probe.ts';
import {
  endsOnce,
  hasNoError,
  isAnswerOf,
  isRefused,
  linesAreObjects,
  linesAreShort,
  outputs,
  outputsFit,
  type Rule,
  sendsNoEncoding,
  survives,
} from './rules.ts';

/** One thing that the platform may do and the expected reaction of a processor. Returns what was wrong, or `null`. */
export interface Case {
  readonly name: string;
  /** Skipped if the processor's secret is unknown. */
  readonly needsSecret?: true;
  run(target: Target): Promise<string | null>;
}

type Body = string | Uint8Array;

const probed = (name: string, probe: Probe | (() => Probe), ...rules: Rule[]): Case => ({
  name,
  async run(target) {
    const answer = await ask(target, typeof probe === 'function' ? probe() : probe);
    for (const rule of rules) {
      const wrong = rule(answer);
      if (wrong !== null) return wrong;
    }
    return null;
  },
});

const signed = (name: string, probe: Probe, ...rules: Rule[]): Case => ({ ...probed(name, probe, ...rules), needsSecret: true });

async function* pieces(body: Body, size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(body);
  for (let at = 0; at < bytes.length; at += size) {
    yield bytes.subarray(at, at + size);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

async function* halves(body: Body): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(body);
  yield bytes.subarray(0, bytes.length >> 1);
  await pause(500);
  yield bytes.subarray(bytes.length >> 1);
}

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

/** Whether the outputs are those of a run alone. Also true if the processor gives other outputs in every run, which it may. */
const isLikeAlone = async (target: Target, body: Body, answer: Answer | undefined): Promise<boolean> => {
  const [given, first, second] = [answer, await ask(target, { body }), await ask(target, { body })].map((one) =>
    JSON.stringify(outputs(one)),
  );
  return given === first || first !== second;
};

const sameRun = (body: Body, isAnswer: Rule): Case => ({
  name: 'answers a repeated attempt of the same run as it did before',
  async run(target) {
    const runId = randomUUID();
    const asked = (attempt: number) => ask(target, { body, runId, attempt });
    const [first, second] = [await asked(1), await asked(2)];
    const wrong = isAnswer(second);
    if (wrong !== null) return wrong;
    return JSON.stringify(outputs(first)) === JSON.stringify(outputs(second))
      ? null
      : 'The two answers differ. A run may be sent again after a broken connection: give the same outputs for the same Tributary-Run-Id.';
  },
});

const together = (count: number, { ordinary }: Form['input'], isAnswer: Rule): Case => ({
  name: `answers ${count} runs at once, each with its own output`,
  async run(target) {
    const bodies = Array.from({ length: count }, (_, n) => ordinary(n));
    const answers = await Promise.all(bodies.map((body) => ask(target, { body })));
    for (const answer of answers) {
      const wrong = isAnswer(answer) ?? endsOnce(answer);
      if (wrong !== null) return wrong;
    }
    return (await isLikeAlone(target, ordinary(0), answers[0]))
      ? null
      : 'The output of a run changed because others ran beside it. Keep nothing of a run in variables that all runs share.';
  },
});

const interrupt = async (target: Target, probe: { body: Body; runId?: string }): Promise<void> => {
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(probe.body).subarray(0, 5);
    throw new Error('broken off');
  }
  await ask(target, { ...probe, body: Readable.from(broken()) }).catch(() => null);
};

const brokenOff = (body: Body, isAnswer: Rule): Case[] => [
  {
    name: 'still answers after a request was broken off',
    async run(target) {
      await interrupt(target, { body });
      return isAnswer(await ask(target, { body }));
    },
  },
  {
    name: 'answers the next attempt of a run whose first attempt was broken off, with the whole output',
    async run(target) {
      const runId = randomUUID();
      await interrupt(target, { body, runId });
      const second = await ask(target, { body, runId, attempt: 2 });
      const wrong = isAnswer(second) ?? endsOnce(second);
      if (wrong !== null) return wrong;
      return (await isLikeAlone(target, body, second))
        ? null
        : 'The output differs from that of a run without a broken attempt. Do not keep the input of a request that broke off.';
    },
  },
  {
    name: 'still answers after a run was canceled',
    async run(target) {
      await askAndCancel(target, { body });
      return isAnswer(await ask(target, { body }));
    },
  },
];

const inARow = (count: number, { ordinary }: Form['input'], isAnswer: Rule): Case => ({
  name: `answers ${count} runs one after the other`,
  async run(target) {
    for (let n = 0; n < count; n++) {
      const wrong = isAnswer(await ask(target, { body: ordinary(n) }));
      if (wrong !== null) return `${wrong} (run ${n + 1})`;
    }
    return null;
  },
});

const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

/** What the answer to any ordinary request has to be like. */
const answerCases = (body: Body, isAnswer: Rule, fits: Rule): Case[] => [
  probed('answers 200, or 202 with a Location to poll for it, with a content type that the platform reads', { body }, isAnswer),
  probed('sends lines that are JSON objects', { body }, isAnswer, linesAreObjects),
  probed('ends with {"end": true}, once, and sends nothing after it', { body }, isAnswer, endsOnce),
  probed('sends no line over 1 MiB', { body }, isAnswer, linesAreShort),
  probed('answers without a content encoding', { body }, isAnswer, sendsNoEncoding),
  probed('sends outputs that fit their schema', { body }, isAnswer, fits),
];

const deliveryCases = (body: Body, ordinary: readonly Rule[]): Case[] => [
  probed('reads a body in small chunks', () => ({ body: Readable.from(pieces(body, 3)) }), ...ordinary),
  probed('reads a body in single bytes', () => ({ body: Readable.from(pieces(body, 1)) }), ...ordinary),
  probed('reads a body in one chunk of unknown length', () => ({ body: Readable.from(pieces(body, 65_536)) }), ...ordinary),
  probed('reads a body with a Content-Length', { body }, ...ordinary),
  probed('reads a body that pauses', () => ({ body: Readable.from(halves(body)) }), ...ordinary),
  probed('answers on a connection that closes after the request', { body, closes: true }, ...ordinary),
  probed('takes a later attempt', { body, attempt: 3 }, ...ordinary),
  probed('takes a high attempt number', { body, attempt: 20 }, ...ordinary),
  probed('takes a traceparent', { body, headers: { traceparent: TRACEPARENT } }, ...ordinary),
  probed('ignores headers that it does not know', { body, headers: { 'tributary-future-header': 'x' } }, ...ordinary),
];

const brokenCases = (body: Body, { broken }: Form['input']): Case[] => [
  ...broken.map(([name, sent]) => probed(`survives ${name}`, { body: sent }, survives)),
  probed('survives another content type', { body, contentType: 'application/x-unknown' }, survives),
  probed('survives properties that are not base64', { body, headers: { 'tributary-properties': '%%%' } }, survives),
  probed('survives properties that are not JSON', { body, headers: { 'tributary-properties': 'bm9uc2Vuc2U' } }, survives),
  probed('survives a request without properties', { body, headers: { 'tributary-properties': null } }, survives),
  probed('survives an attempt that is not a number', { body, headers: { 'tributary-attempt': 'x' } }, survives),
  ...['tributary-run-id', 'tributary-attempt', 'tributary-stream-id', 'tributary-processor'].map((name) =>
    probed(`survives a request without ${name}`, { body, headers: { [name]: null } }, survives),
  ),
  probed('survives a traceparent that is not valid', { body, headers: { traceparent: '00-x' } }, survives),
];

const signatureCases = (body: Body, ordinary: readonly Rule[]): Case[] => {
  const takes = (name: string, probe: Probe) => signed(`takes a right signature${name}`, { body, ...probe }, ...ordinary);
  const refuses = (name: string, probe: Probe) => signed(`refuses ${name}`, { body, ...probe }, isRefused);
  return [
    takes('', {}),
    takes(' with nested properties', { properties: { b: { d: 1, c: '<é>' }, a: [1, 2] } }),
    takes(' with very small and very large numbers', { properties: { a: 1e-7, b: 1e21, c: 0.1 } }),
    takes(' with line separators of Unicode', { properties: { text: 'a\u2028b\u2029c' } }),
    takes(' behind another one, as during a rotation', { signature: 'two' }),
    refuses('a request without a signature', { signature: 'absent' }),
    refuses('a signature of another secret', { signature: 'wrong key' }),
    refuses('a signature of another head', { signature: 'other head' }),
    refuses('a signature that is not base64', { signature: 'garbage' }),
    refuses('a signature of an hour ago', { signature: 'old' }),
    refuses('a signature of the future', { signature: 'future' }),
    refuses('another run id than was signed', { headers: { 'tributary-run-id': '11111111-1111-4111-8111-111111111111' } }),
    refuses('another attempt than was signed', { headers: { 'tributary-attempt': '9' } }),
    refuses('other properties than were signed', { headers: { 'tributary-properties': 'eyJhIjoxfQ' } }),
    refuses('another stream than was signed', { headers: { 'tributary-stream-id': '22222222-2222-4222-8222-222222222222' } }),
    refuses('another processor than was signed', { headers: { 'tributary-processor': 'other@1' } }),
    refuses('a timestamp that is not a number', { headers: { 'webhook-timestamp': 'soon' } }),
    refuses('a request without a timestamp', { headers: { 'webhook-timestamp': null } }),
  ];
};

/** All cases of the conformance suite for a processor that takes and gives this. */
export const casesFor = ({ input, output }: Form): Case[] => {
  const isAnswer = isAnswerOf(output);
  const fits = outputsFit(output);
  const ordinary: Rule[] = [isAnswer, linesAreObjects, endsOnce, hasNoError, fits];
  const body = input.ordinary(0);
  return [
    ...answerCases(body, isAnswer, fits),
    ...input.samples.map(([name, sample]) => probed(`takes ${name}`, { body: sample }, ...ordinary)),
    ...PROPERTIES.map(([name, properties]) => probed(`takes properties: ${name}`, { body, properties }, ...ordinary)),
    ...deliveryCases(body, ordinary),
    ...brokenCases(body, input),
    sameRun(body, isAnswer),
    inARow(20, input, isAnswer),
    together(4, input, isAnswer),
    together(16, input, isAnswer),
    ...brokenOff(body, isAnswer),
    ...signatureCases(body, ordinary),
    probed('still answers at the end', { body }, ...ordinary),
  ];
};

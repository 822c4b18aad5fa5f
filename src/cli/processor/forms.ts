import { Ajv2020 } from 'ajv/dist/2020.js';
import { MESSAGE_SCHEMAS } from '../../domain/stream/messages.ts';
import type { Json, JsonObject, JsonSchema } from '../../json.ts';
import { isBase64 } from '../../processors/declared/base64.ts';
import { BUILT_IN_MESSAGES } from '../../processors/declared/builtInMessages.ts';
import { BYTES, messageSamples, type Sample, TEXTS } from './samples.ts';

/** A payload of each built-in message, as the built-in processors give it. */
const EXAMPLES: Readonly<Record<string, Json>> = {
  [MESSAGE_SCHEMAS.transcription]: {
    transcription: 'Hello there, how are you?',
    words: [
      { word: 'Hello', start: 0, end: 420, confidence: 0.98, language: 'en', metadata: {} },
      { word: ' there,', start: 430, end: 800, confidence: 0.91, language: 'en', metadata: {} },
      { word: ' how', start: 900, end: 1_050, confidence: 0.95, language: 'en', metadata: {} },
      { word: ' are', start: 1_060, end: 1_200, confidence: 0.97, language: 'en', metadata: {} },
      { word: ' you?', start: 1_210, end: 1_500, confidence: null, language: 'en', metadata: {} },
    ],
    start: 0,
    end: 1_500,
    metadata: {},
    channel: null,
    utterance: true,
  },
  [MESSAGE_SCHEMAS.diarization]: { speakerIds: ['speaker-1', 'speaker-2'], overlap: true, start: 0, end: 1_500, metadata: {} },
  [MESSAGE_SCHEMAS.llm]: {
    promptId: 'summary',
    sequenceId: 0,
    responseFormatSpecification: null,
    summary: [{ content: 'They greet each other.' }],
    metadata: {},
  },
};

/** `bytes`, `string`, the name of a built-in message, or a JSON Schema of the messages. */
export type SchemaChoice = string | JsonObject;

/** What a processor takes. */
export interface InputForm {
  readonly contentType: string;
  readonly samples: readonly Sample[];
  /** The n-th of several ordinary inputs that differ. */
  readonly ordinary: (n: number) => string | Uint8Array;
  /** Inputs that no stage sends. */
  readonly broken: readonly Sample[];
}

/** What a processor gives. */
export interface OutputForm {
  /** Content type of a body that is the output itself; `null` for messages. */
  readonly rawType: string | null;
  /** What is wrong with one output, or `null`. */
  readonly misfit: (output: Json) => string | null;
}

export interface Form {
  readonly input: InputForm;
  readonly output: OutputForm;
}

type Misfit = (payload: Json) => string | null;

const compiled = (schema: JsonSchema): Misfit => {
  const { $schema: _, ...rest } = schema;
  const ajv = new Ajv2020({ strict: false, logger: false, validateFormats: false });
  const validate = ajv.compile(rest);
  return (payload) => (validate(payload) ? null : ajv.errorsText(validate.errors, { dataVar: 'it' }));
};

const schemaOf = (choice: SchemaChoice): JsonSchema => {
  const schema = typeof choice === 'string' ? BUILT_IN_MESSAGES[choice] : choice;
  if (schema) return schema;
  const names = [MESSAGE_SCHEMAS.bytes, MESSAGE_SCHEMAS.string, ...Object.keys(BUILT_IN_MESSAGES)].join(', ');
  throw new Error(`The message ${choice} is not known. Use @file with a JSON Schema, or one of: ${names}.`);
};

const messagesIn = (choice: SchemaChoice, given: readonly Json[]): InputForm => {
  const schema = schemaOf(choice);
  const own = typeof choice === 'string' ? [EXAMPLES[choice] ?? null] : Array.isArray(schema.examples) ? schema.examples : [];
  const examples = given.length > 0 ? given : own;
  if (examples.length === 0)
    throw new Error('The input schema has no examples. Add "examples" to it, or give a payload that fits with --example.');
  const misfit = compiled(schema);
  for (const [n, example] of examples.entries()) {
    const wrong = misfit(example);
    if (wrong !== null) throw new Error(`Example ${n + 1} does not fit the input schema: ${wrong}.`);
  }
  const line = `${JSON.stringify(examples[0])}\n`;
  return {
    contentType: 'application/x-ndjson',
    samples: messageSamples(examples, (payload) => misfit(payload) === null),
    ordinary: (n) => line.repeat((n % 3) + 1),
    broken: [
      ['a line that is not JSON', '{"half": \n'],
      ['a message that is not an object', '7\n'],
      ['a last message that is cut off', line + line.slice(0, Math.max(1, line.length >> 1))],
      ['a message that is null', 'null\n'],
      ['a message that is a list', '[]\n'],
      ['an empty line between messages', `${line}\n${line}`],
      ['a last message without a line end', line.trimEnd()],
      ['Windows line ends', line.replace('\n', '\r\n').repeat(2)],
      ['a byte order mark', `\ufeff${line}`],
      ['messages in one line', line.trimEnd() + line],
      ['messages that are not UTF-8', Buffer.from([0xff, 0xfe, 0x80, 10])],
      ['a line of 2 MiB', `${'x'.repeat(2 * 1_048_576)}\n`],
      ['a message of 100 nested lists', `${'['.repeat(100)}${']'.repeat(100)}\n`],
    ],
  };
};

const inputForm = (choice: SchemaChoice, examples: readonly Json[]): InputForm => {
  if (choice === MESSAGE_SCHEMAS.string) {
    return {
      contentType: 'text/plain; charset=utf-8',
      samples: TEXTS,
      ordinary: (n) => `run number ${n}: Καλημέρα 你好 😀`,
      broken: [['text that is not UTF-8', Buffer.from([0xff, 0xfe, 0x80])]],
    };
  }
  if (choice === MESSAGE_SCHEMAS.bytes)
    return { contentType: 'application/octet-stream', samples: BYTES, ordinary: (n) => Buffer.from(`run number ${n}: \0\x01`), broken: [] };
  return messagesIn(choice, examples);
};

const outputForm = (choice: SchemaChoice): OutputForm => {
  if (choice === MESSAGE_SCHEMAS.string) {
    const misfit: Misfit = (output) =>
      typeof output === 'string' ? null : 'An output is not a string. With outputSchema "string" every output is text.';
    return { rawType: 'text/plain', misfit };
  }
  if (choice === MESSAGE_SCHEMAS.bytes) {
    const misfit: Misfit = (output) =>
      typeof output === 'string' && isBase64(output) ? null : 'An output is not base64. With outputSchema "bytes" every output is base64.';
    return { rawType: 'application/octet-stream', misfit };
  }
  const misfit = compiled(schemaOf(choice));
  return {
    rawType: null,
    misfit: (output) => {
      const wrong = misfit(output);
      return wrong === null ? null : `An output does not fit the output schema: ${wrong}.`;
    },
  };
};

/** What a processor declared with these schemas takes and gives. Throws for an unknown schema, and when there is no fitting example of a message. */
export const formOf = (input: SchemaChoice, output: SchemaChoice, examples: readonly Json[] = []): Form => ({
  input: inputForm(input, examples),
  output: outputForm(output),
});

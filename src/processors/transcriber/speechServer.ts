import { randomUUID } from 'node:crypto';
import type { Clock } from '../../clock.ts';
import { USER_AGENT } from '../../userAgent.ts';
import { operationAddress } from '../engineServer/address.ts';
import type { EngineAnswer } from '../engineServer/answer.ts';
import { EngineServer } from '../engineServer/engineServer.ts';
import { requestKey } from '../engineServer/requestKey.ts';
import type { RunMemory } from '../processor.ts';
import { audioTypeOf } from './audioType.ts';
import { around, firstOf } from './firstOf.ts';
import { readSpeechAnswer, type SpeechAnswer } from './speechAnswer.ts';
import type { MadeBy } from './transcriptionWriter.ts';

/** TRANSCRIBER_URL, TRANSCRIBER_API_KEY, TRANSCRIBER_MODEL, ENGINE_TIMEOUT_MS. */
export interface SpeechServerSettings {
  readonly url: string;
  readonly apiKey: string | null;
  readonly model: string | null;
  readonly timeoutMilliseconds: number;
  readonly userAgent?: string;
}

export interface SpeechRequest {
  /** Which of the run's recordings: "whole", "channel 0". */
  readonly name: string;
  readonly recording: AsyncIterable<Uint8Array>;
  readonly size: number | null;
  /** A code, or `null` for the server's own guess. */
  readonly language: string | null;
  readonly prompt: string | null;
  /** Instead of TRANSCRIBER_MODEL. */
  readonly model: string | null;
  readonly task: 'transcribe' | 'translate';
  readonly signal: AbortSignal;
  readonly memory: RunMemory | undefined;
}

const DEFAULT_MODEL = 'whisper-1';
/** Some forty hours of words with times. */
const MOST_BYTES = 32 * 1024 * 1024;

/** Response formats of models: most return words with times; some models of the original server support other formats only. */
const formOf = (model: string): FormFields => {
  if (model.includes('diarize')) {
    return [
      ['response_format', 'diarized_json'],
      ['chunking_strategy', 'auto'],
    ];
  }
  if (/^gpt-4o.*transcribe/.test(model)) return [['response_format', 'json']];
  return [
    ['response_format', 'verbose_json'],
    ['timestamp_granularities[]', 'word'],
    ['timestamp_granularities[]', 'segment'],
  ];
};

/** The address of a task; if it names the transcriptions in full, it is adapted for translations. */
const taskAddress = (url: string, path: '/v1/audio/transcriptions' | '/v1/audio/translations'): URL => {
  const base = new URL(url);
  base.pathname = base.pathname.replace(/\/v1\/audio\/transcriptions\/*$/, '');
  return operationAddress(base.href, path);
};

/** An OpenAI-compatible transcription server. */
export class SpeechServer {
  readonly #servers: Readonly<Record<SpeechRequest['task'], EngineServer>>;
  readonly #model: string;

  constructor({ url, apiKey, model, timeoutMilliseconds, userAgent = USER_AGENT }: SpeechServerSettings, clock: Clock) {
    this.#model = model ?? DEFAULT_MODEL;
    const server = (path: '/v1/audio/transcriptions' | '/v1/audio/translations') =>
      new EngineServer({
        clock,
        apiKey,
        userAgent,
        timeoutMilliseconds,
        maxAnswerBytes: MOST_BYTES,
        address: taskAddress(url, path),
        title: 'The speech server',
        keySetting: 'TRANSCRIBER_API_KEY',
        errorName: 'PROCESSOR_TRANSCRIPTION_ERROR',
      });
    this.#servers = { transcribe: server('/v1/audio/transcriptions'), translate: server('/v1/audio/translations') };
  }

  /** As it is named in the metadata of results; the address stays private. */
  madeBy(model: string | null): MadeBy {
    return { engine: 'speech-server', model: model ?? this.#model };
  }

  /** `null` for an empty recording. Rejects with `ProcessorError`. Requests answered in an earlier attempt are not repeated. */
  async transcribe(request: SpeechRequest): Promise<SpeechAnswer | null> {
    const { memory, recording, size, signal } = request;
    const idempotencyKey = requestKey(memory, request.name);
    const remembered = idempotencyKey === null ? undefined : memory?.answers.get(idempotencyKey);
    if (typeof remembered === 'string') return readSpeechAnswer(unpacked(remembered));
    const form = await audioForm(this.#fields(request), recording, size);
    if (!form) return null;
    const answer = await this.#servers[request.task].post({ ...form, idempotencyKey, traceparent: memory?.traceparent ?? null, signal });
    const heard = readSpeechAnswer(answer);
    if (idempotencyKey !== null) memory?.answers.set(idempotencyKey, packed(answer));
    return heard;
  }

  #fields({ language, prompt, model, task }: SpeechRequest): FormFields {
    const name = model ?? this.#model;
    return [
      ['model', name],
      ...formOf(name),
      // Such servers know the two letters of a language, not its countries. Translations are always into English.
      ...(language === null || task === 'translate' ? [] : [['language', language.toLowerCase().split(/[-_]/)[0] ?? ''] as const]),
      ...(prompt === null ? [] : [['prompt', prompt] as const]),
    ];
  }
}

const packed = ({ contentType, text }: EngineAnswer): string => `${contentType}\n${text}`;

const unpacked = (answer: string): EngineAnswer => {
  const end = answer.indexOf('\n');
  return { contentType: answer.slice(0, end), text: answer.slice(end + 1), tooLarge: false };
};

/** A `multipart/form-data` body with text fields and, last, a streamed recording. */
interface AudioForm {
  readonly contentType: string;
  readonly body: AsyncIterable<Uint8Array>;
  /** Length of the body in bytes; `null` if the recording's length is unknown. */
  readonly length: number | null;
}

type FormFields = readonly (readonly [name: string, value: string])[];

/** Rejects with the error of the recording's source. `null` for an empty recording. */
const audioForm = async (fields: FormFields, recording: AsyncIterable<Uint8Array>, size: number | null): Promise<AudioForm | null> => {
  const found = await firstOf(recording);
  if (!found) return null;
  const { first, rest } = found;
  // Random, so that no recording contains it.
  const boundary = `tributary-${randomUUID()}`;
  const { fileName, contentType } = audioTypeOf(first);
  const texts = fields.map(([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`);
  const file = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${fileName}"\r\nContent-Type: ${contentType}\r\n\r\n`;
  const head = Buffer.from(texts.join('') + file);
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    body: around([head, first], rest, [tail]),
    length: size === null ? null : head.byteLength + size + tail.byteLength,
  };
};

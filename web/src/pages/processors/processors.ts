import { getJson, send } from '../../api/request.ts';
import type { Json, JsonObject, JsonSchema, PageOf } from '../../api/types.ts';
import { type Resource, useResource } from '../../api/useResource.ts';

const PATH = '/stream-configuration-service/api/v1/processor-declarations';
const PAGE = 100;

export interface Limits {
  readonly attempts: number;
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
  readonly concurrency: number;
}

/** A processor that templates can use. The members with a question mark are those of users' own processors. */
export interface Processor {
  readonly id: string;
  readonly displayName: string;
  readonly description: string;
  readonly origin: 'built-in' | 'own' | 'shared';
  readonly propertiesJsonSchema: JsonSchema;
  readonly inputSchemas: readonly string[];
  readonly outputSchema: Json;
  readonly operationType: string;
  readonly version?: number;
  /** `null` for others than its owner and administrators. */
  readonly url?: string | null;
  readonly mode?: 'batch' | 'live';
  /** A name, or a JSON Schema. */
  readonly inputSchema?: Json;
  readonly defaultProperties?: JsonObject;
  readonly patchAliases?: Readonly<Record<string, string>>;
  readonly price?: readonly JsonObject[];
  readonly limits?: Limits;
}

export interface TestResult {
  readonly output?: string | readonly Json[];
  readonly error?: { readonly name: string; readonly message: string };
  readonly durationMs: number;
  readonly requests: readonly { readonly method: string; readonly status: number | null; readonly durationMs: number }[];
}

export const ORIGIN_NAMES: Readonly<Record<Processor['origin'], string>> = { 'built-in': 'Built-in', own: 'Your own', shared: 'Shared' };

export const useProcessors = (): Resource<readonly Processor[]> =>
  useResource({
    key: 'processors',
    load: async (signal) => {
      const processors: Processor[] = [];
      for (let page = 0; ; page++) {
        const { content, totalPages } = await getJson<PageOf<Processor>>(PATH, { query: { page, size: PAGE }, signal });
        processors.push(...content);
        if (page + 1 >= totalPages) return processors;
      }
    },
  });

/** `version`: `null` for the newest. */
export const useProcessor = (id: string, version: string | null): Resource<Processor> =>
  useResource({ key: JSON.stringify([id, version]), load: (signal) => getJson<Processor>(of(id), { query: { version }, signal }) });

/** The answer that creates a processor has its secret, and no later one. */
export const declare = (body: JsonObject, forEverybody: boolean) =>
  send<Processor & { readonly secret?: string }>('PUT', PATH, { query: { scope: forEverybody ? 'all' : null }, body });

export const rotate = (id: string) => send<{ secret: string; previousValidUntil: string }>('POST', `${of(id)}/secret/rotate`);

export const remove = (id: string) => send<void>('DELETE', of(id));

export const test = (id: string, body: { readonly input: Json; readonly properties: JsonObject }) =>
  send<TestResult>('POST', `${of(id)}/test`, { body });

const of = (id: string): string => `${PATH}/${encodeURIComponent(id)}`;

const MESSAGES = 'tech.vatis.schema.stream.processor.messages';

/** Payloads between stages, with names for people. */
export const PAYLOADS: readonly (readonly [name: string, shown: string])[] = [
  ['string', 'Text'],
  ['bytes', 'Bytes'],
  [`${MESSAGES}.transcription.TranscriptionResponseDto`, 'Transcription messages'],
  [`${MESSAGES}.llm.LlmResponseDto`, 'Text intelligence messages'],
];

/** A schema in a word or two. */
export const payloadName = (schema: Json | undefined): string => {
  if (typeof schema !== 'string') return 'Messages by a JSON Schema';
  return PAYLOADS.find(([name]) => name === schema)?.[1] ?? schema;
};

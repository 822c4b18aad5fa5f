import type { Json, JsonObject } from '../../api/types.ts';
import { jsonDraft } from '../../parts/jsonDraft.ts';
import type { Processor } from './processors.ts';

/** The entry for a JSON Schema in a choice of payloads. */
export const OWN_SCHEMA = 'own';

/** A declaration as a form holds it: numbers and JSON as text. */
export interface Draft {
  readonly name: string;
  readonly description: string;
  readonly url: string;
  readonly mode: string;
  readonly input: string;
  readonly inputJson: string;
  readonly output: string;
  readonly outputJson: string;
  readonly properties: string;
  readonly defaults: string;
  readonly aliases: string;
  readonly operationType: string;
  readonly price: string;
  readonly attempts: string;
  readonly timeoutMs: string;
  readonly maxOutputBytes: string;
  readonly concurrency: string;
}

export const EMPTY: Draft = {
  ...{ name: '', description: '', url: '', mode: 'batch', input: 'string', inputJson: '', output: 'string', outputJson: '' },
  ...{ properties: '', defaults: '', aliases: '', operationType: 'NO_OPERATION', price: '' },
  ...{ attempts: '', timeoutMs: '', maxOutputBytes: '', concurrency: '' },
};

const shown = (value: unknown): string => (value === undefined ? '' : JSON.stringify(value, null, 2));

/** The form of a declaration that exists. */
export const draftOf = (processor: Processor): Draft => {
  const { displayName, description, url, mode, inputSchema, outputSchema, limits } = processor;
  const choice = (schema: Json | undefined) =>
    typeof schema === 'string' ? { name: schema, json: '' } : { name: OWN_SCHEMA, json: shown(schema) };
  const [input, output] = [choice(inputSchema), choice(outputSchema)];
  return {
    ...{ name: displayName, description, url: url ?? '', mode: mode ?? 'batch' },
    ...{ input: input.name, inputJson: input.json, output: output.name, outputJson: output.json },
    properties: shown(processor.propertiesJsonSchema),
    defaults: shown(processor.defaultProperties),
    aliases: shown(processor.patchAliases),
    operationType: processor.operationType,
    price: shown(processor.price),
    attempts: String(limits?.attempts ?? ''),
    timeoutMs: String(limits?.timeoutMs ?? ''),
    maxOutputBytes: String(limits?.maxOutputBytes ?? ''),
    concurrency: String(limits?.concurrency ?? ''),
  };
};

const JSON_FIELDS = ['properties', 'defaults', 'aliases', 'price'] as const;

/** Whether something has to be filled in or corrected before the draft can be sent. The server checks the rest. */
export const isIncomplete = (draft: Draft): boolean =>
  draft.name.trim() === '' ||
  draft.url.trim() === '' ||
  [...JSON_FIELDS.map((field) => draft[field]), draft.inputJson, draft.outputJson].some((text) => jsonDraft(text).problem !== null) ||
  (draft.input === OWN_SCHEMA && draft.inputJson.trim() === '') ||
  (draft.output === OWN_SCHEMA && draft.outputJson.trim() === '');

const number = (text: string): number | undefined => (text.trim() === '' ? undefined : Number(text));

/** The request; `id` adds a version to that declaration. Absent members get the server's defaults. */
export const bodyOf = (draft: Draft, id?: string): JsonObject => {
  const json = (text: string): Json | undefined => jsonDraft(text).value;
  const { name, description, url, mode, input, output, operationType } = draft;
  const [attempts, timeoutMs, maxOutputBytes, concurrency] = [draft.attempts, draft.timeoutMs, draft.maxOutputBytes, draft.concurrency].map(
    number,
  );
  const members: Readonly<Record<string, Json | undefined>> = {
    ...(id !== undefined && { id }),
    ...{ name: name.trim(), description: description.trim(), url: url.trim(), mode, operationType },
    inputSchema: input === OWN_SCHEMA ? json(draft.inputJson) : input,
    outputSchema: output === OWN_SCHEMA ? json(draft.outputJson) : output,
    propertiesJsonSchema: json(draft.properties),
    defaultProperties: json(draft.defaults),
    patchAliases: json(draft.aliases),
    price: json(draft.price),
    limits: given({ attempts, timeoutMs, maxOutputBytes, concurrency }),
  };
  return given(members);
};

const given = (members: Readonly<Record<string, Json | undefined>>): JsonObject =>
  // Nothing undefined is left.
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as JsonObject;

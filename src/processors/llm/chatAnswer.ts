import { type Json, type JsonObject, jsonOrThrow, memberOf } from '../../json.ts';
import type { EngineAnswer } from '../engineServer/answer.ts';
import { ProcessorError } from '../processor.ts';

/** Token counts reported by the server. */
export interface TokenUsage {
  readonly input: number;
  readonly output: number;
  readonly total: number;
}

export interface ChatAnswer {
  readonly content: string;
  /** `null` if the server does not report them. */
  readonly usage: TokenUsage | null;
}

/** The answer is unusable. A further attempt may succeed. */
export const misfit = (what: string) => new ProcessorError('PROCESSOR_GENERAL_ERROR', `The language model answered with ${what}.`, true);

const rubbish = () => new ProcessorError('PROCESSOR_GENERAL_ERROR', 'The language model server did not answer with a chat completion.');

const count = (value: unknown): number | null => (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null);

const usageOf = (usage: unknown): TokenUsage | null => {
  const input = count(memberOf(usage, 'prompt_tokens'));
  const output = count(memberOf(usage, 'completion_tokens'));
  if (input === null || output === null) return null;
  return { input, output, total: count(memberOf(usage, 'total_tokens')) ?? input + output };
};

/** Text, or the list of text parts that some servers return. */
const contentOf = (content: unknown): string | null => {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return null;
  const texts = content.map((part) => memberOf(part, 'text'));
  return texts.every((text) => typeof text === 'string') ? texts.join('') : null;
};

/** Reads a chat completion, without the model's thinking. Throws `ProcessorError` if the answer is not a chat completion. */
export const readChatAnswer = ({ text }: EngineAnswer): ChatAnswer => {
  const body = jsonOrThrow(text, rubbish);
  const choices = memberOf(body, 'choices');
  const choice = Array.isArray(choices) ? choices[0] : undefined;
  const message = memberOf(choice, 'message');
  if (typeof message !== 'object' || message === null) throw rubbish();
  if (typeof memberOf(message, 'refusal') === 'string') throw misfit('a refusal');
  const content = contentOf(memberOf(message, 'content'));
  if (content === null) throw rubbish();
  const reason = memberOf(choice, 'finish_reason');
  if (reason === 'content_filter') throw misfit('a refusal');
  if (reason === 'length') {
    throw new ProcessorError('PROCESSOR_GENERAL_ERROR', "The language model's answer was cut off: it is longer than the server allows.");
  }
  return { content: content.replace(/^\s*<think>[\s\S]*?<\/think>/, '').trim(), usage: usageOf(memberOf(body, 'usage')) };
};

/** Parses JSON written by a model, with or without a code fence. Throws a retryable `ProcessorError`. */
export const jsonIn = (content: string): unknown => {
  const fenced = /^```(?:json)?[^\S\n]*\n([\s\S]*?)\n?```$/.exec(content);
  return jsonOrThrow(fenced?.[1] ?? content, () => misfit('text that is not JSON'));
};

/** An object whose one member is a list of `count` items. */
export const listSchema = (name: string, items: JsonObject, count: number): Json => ({
  type: 'object',
  properties: { [name]: { type: 'array', items, minItems: count, maxItems: count } },
  required: [name],
  additionalProperties: false,
});

/** The list in an answer to `listSchema`, also if the model left the object out. Throws with `what` for a list of another length. */
export const listIn = (content: string, name: string, count: number, what: string): unknown[] => {
  const answer = jsonIn(content);
  const list = memberOf(answer, name) ?? answer;
  if (!Array.isArray(list) || list.length !== count) throw misfit(what);
  return list;
};

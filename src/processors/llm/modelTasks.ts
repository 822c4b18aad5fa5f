import type { SentimentSegment } from '../../domain/stream/messages.ts';
import { shownSpeakers } from '../../domain/transcript/speakers.ts';
import type { Json } from '../../json.ts';
import { ProcessorError } from '../processor.ts';
import type { Conversation } from './chat.ts';
import { jsonIn, listIn, listSchema, misfit } from './chatAnswer.ts';
import { partsOf } from './enhance.ts';
import type { Passage } from './passages.ts';
import type { Question, SummaryStyle } from './prompts.ts';
import { type FormatChecker, readFormat } from './responseFormat.ts';
import { segmentOf } from './sentiment.ts';

/** Limit of the requests that condense the parts of a long text for one task. */
const MOST_PARTS = 50;
/** Number of segments that a model can count reliably. */
const SEGMENTS = 200;
const SEGMENT_CHARACTERS = 40_000;

const lineOf = ({ text, speakers, speakerNames }: Passage): string => {
  if (speakers.length === 0) return text;
  const names = new Map(Object.entries(speakerNames ?? {}).filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
  return `${shownSpeakers({ speakerIds: speakers }, names).join(', ')}: ${text}`;
};

/** The text for a task: the whole text if it fits one request, otherwise notes that the model wrote about each part for this task. */
const dataFor = async (task: string, passages: readonly Passage[], conversation: Conversation, maxCharacters: number): Promise<string> => {
  const parts = partsOf(passages, maxCharacters * 0.9, Number.POSITIVE_INFINITY).map((part) => part.map(lineOf).join('\n'));
  if (parts.length > MOST_PARTS || parts.some((part) => part.length > 2 * maxCharacters)) throw tooLong();
  if (parts.length <= 1) return parts[0] ?? '';
  const notes: string[] = [];
  for (const [n, data] of parts.entries()) {
    const instructions = `The transcript is long: this is part ${n + 1} of ${parts.length}. Write notes, in its language, of everything in this part that matters for the following task, which will be done later from the notes of all parts. Do not do the task yet.\n\nThe task: ${task}`;
    notes.push(await conversation.ask({ model: 'standard', instructions, data, schema: null, read: (content) => content }));
  }
  const data = notes.map((text, n) => `Notes of part ${n + 1}:\n${text}`).join('\n\n');
  if (data.length > maxCharacters) throw tooLong();
  return data;
};

const tooLong = () =>
  new ProcessorError('PROCESSOR_GENERAL_ERROR', 'The text is too long for the language model of this server (LLM_MAX_CHARACTERS).').because(
    'TOO_LONG',
  );

const LENGTHS = { brief: 'Be brief: at most three sentences.', detailed: 'Be detailed: cover every topic.' } as const;
const TONES = {
  conversational: 'Write in a conversational tone, as one tells a colleague.',
  informative: 'Write in an informative, matter-of-fact tone.',
} as const;
const STRUCTURES = {
  paragraphs: 'Write paragraphs of plain text, without headings or lists.',
  bullet_points: 'Write bullet points: every line begins with "- ".',
} as const;

/** Returns empty text for empty input, where a model would invent something. */
export const summaryOf = async (
  { length, tone, structure, language }: SummaryStyle,
  passages: readonly Passage[],
  conversation: Conversation,
  maxCharacters: number,
): Promise<string> => {
  if (passages.length === 0) return '';
  const style = `${LENGTHS[length]} ${TONES[tone]} ${STRUCTURES[structure]}`;
  const task = `Write a summary of the transcript. ${style} Write in ${language ?? 'the language of the transcript'}. Answer with the summary alone.`;
  const data = await dataFor(task, passages, conversation, maxCharacters);
  return conversation.ask({ model: 'standard', instructions: task, data, schema: null, read: spoken });
};

const spoken = (content: string): string => {
  if (content === '') throw misfit('nothing');
  return content;
};

/** Text or, with a response format, JSON text that matches it. */
export const answerOf = async (
  { content: question, systemPrompt, format, promptId }: Question,
  passages: readonly Passage[],
  conversation: Conversation,
  maxCharacters: number,
  checker: FormatChecker,
): Promise<string> => {
  const how = systemPrompt === null ? '' : `${systemPrompt}\n\n`;
  const task = `${how}Answer the following from the transcript, and say so when it does not tell.\n\n${question}`;
  const data = await dataFor(task, passages, conversation, maxCharacters);
  if (format === null) return conversation.ask({ model: 'standard', instructions: task, data, schema: null, read: spoken });
  const { schema, fits } = await readFormat(format, promptId, checker);
  const read = async (content: string): Promise<string> => {
    const answer = jsonIn(content) as Json;
    if (!(await fits(answer))) throw misfit(`what does not fit the response format of prompt "${promptId}"`);
    return JSON.stringify(answer);
  };
  return conversation.ask({ model: 'standard', instructions: task, data, schema, read });
};

const SCORE = { type: 'number', minimum: -1, maximum: 1 };

const SENTIMENT =
  'The data is a JSON list of consecutive texts of a transcript. Judge the sentiment of each: a number from -1 (most negative) over 0 (neutral) to 1 ' +
  '(most positive). Give back one number for each text of the list, in the same order, as {"scores": [...]}.';

/** One segment per passage, in order. */
export async function* judgedSegments(passages: readonly Passage[], conversation: Conversation): AsyncGenerator<SentimentSegment> {
  for (const part of partsOf(passages, SEGMENT_CHARACTERS, SEGMENTS)) {
    const scores = await conversation.ask({
      model: 'standard',
      instructions: SENTIMENT,
      data: JSON.stringify(part.map(({ text }) => text)),
      schema: listSchema('scores', SCORE, part.length),
      read: (content) => scoresIn(content, part.length),
    });
    for (const [n, passage] of part.entries()) yield segmentOf(passage, scores[n] ?? 0);
  }
}

const scoresIn = (content: string, count: number): number[] => {
  const scores = listIn(content, 'scores', count, 'another number of scores than there are segments');
  const bounded = (score: unknown): score is number => typeof score === 'number' && score >= -1 && score <= 1;
  if (!scores.every(bounded)) throw misfit('scores that are not from -1 to 1');
  return scores;
};

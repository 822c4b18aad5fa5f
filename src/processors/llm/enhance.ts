import { MESSAGE_SCHEMAS, type TranscribedWord, type Transcription } from '../../domain/stream/messages.ts';
import type { ProcessorOutput } from '../processor.ts';
import { alignWords } from '../transcriber/alignment.ts';
import type { Conversation } from './chat.ts';
import { listIn, listSchema, misfit } from './chatAnswer.ts';
import type { Passage } from './passages.ts';
import type { Enhancement } from './prompts.ts';

/** Size of one request: an answer is as long as the text it corrects, and servers limit answers. */
const CHARACTERS = 8_000;
const PASSAGES = 50;

/** Corrects the transcription in pieces and writes Transcription messages with `metadata`. Words that did not change keep their times. */
export const enhance = async (
  enhancement: Enhancement,
  passages: readonly Passage[],
  conversation: Conversation,
  output: ProcessorOutput,
  metadata: Transcription['metadata'],
): Promise<void> => {
  const instructions = instructionsOf(enhancement);
  let first = true;
  for (const part of partsOf(passages, CHARACTERS, PASSAGES)) {
    const texts = await conversation.ask({
      model: enhancement.model,
      instructions,
      data: JSON.stringify(part.map(({ text }) => text)),
      schema: listSchema('texts', { type: 'string' }, part.length),
      read: (content) => correctedTexts(content, part),
    });
    for (const [n, passage] of part.entries()) {
      const text = texts[n]?.trim() ?? '';
      if (text === '') continue;
      await write({ ...corrected(passage, text, first), metadata }, output);
      first = false;
    }
  }
};

/** Groups of passages that fit one request. Passages are never cut. */
export const partsOf = (passages: readonly Passage[], characters: number, count: number): Passage[][] => {
  const parts: Passage[][] = [];
  let length = 0;
  for (const passage of passages) {
    const part = parts.at(-1);
    length += passage.text.length;
    if (part && length <= characters && part.length < count) {
      part.push(passage);
      continue;
    }
    parts.push([passage]);
    length = passage.text.length;
  }
  return parts;
};

const instructionsOf = ({ vocabulary, systemPrompt }: Enhancement): string =>
  [
    'The data is a JSON list of consecutive texts of a transcript that a speech engine made. Correct what it misheard, punctuation and capitals. ' +
      'Keep the language, the meaning and the order; add nothing, leave nothing out, do not translate.',
    'Give back one text for each text of the list, in the same order, as {"texts": [...]}.',
    ...(vocabulary.length === 0 ? [] : [`Names and terms to expect: ${vocabulary.join(', ')}`]),
    ...(systemPrompt === null ? [] : [`How to correct: ${systemPrompt}`]),
  ].join('\n\n');

const correctedTexts = (content: string, part: readonly Passage[]): string[] => {
  const texts = listIn(content, 'texts', part.length, 'another number of texts than it was given');
  return texts.map((text, n) => {
    if (typeof text !== 'string') throw misfit('texts that are none');
    if (text.length > 4 * (part[n]?.text.length ?? 0) + 200) throw misfit('more than a correction');
    return text;
  });
};

const corrected = ({ source, start, end, channel, speakers }: Passage, text: string, first: boolean): Omit<Transcription, 'metadata'> => {
  const spaced = first ? text : ` ${text}`;
  const heard = source?.words.map((word) => ({ ...word, text: word.word })) ?? [];
  const words = alignWords(spaced, heard).map(({ text: word, word: same }): TranscribedWord => {
    if (!same)
      return { word, start: null, end: null, confidence: null, language: heard[0]?.language ?? null, metadata: metadataOf(speakers) };
    return { word, start: same.start, end: same.end, confidence: same.confidence, language: same.language, metadata: same.metadata };
  });
  return {
    transcription: words.map(({ word }) => word).join(''),
    words,
    start,
    end,
    channel: channel === null ? null : String(channel),
    utterance: source?.utterance ?? true,
  };
};

/** A new word gets the speaker of its utterance, if there is one. */
const metadataOf = (speakers: readonly string[]): TranscribedWord['metadata'] => (speakers.length === 1 ? { speakers: [...speakers] } : {});

const write = (transcription: Transcription, output: ProcessorOutput): Promise<void> =>
  output.message({
    frameType: 'final',
    payloadSchema: MESSAGE_SCHEMAS.transcription,
    headers: {},
    payload: { ...transcription, words: transcription.words.map((word) => ({ ...word })) },
  });

import { MESSAGE_SCHEMAS } from '../../domain/stream/messages.ts';
import type { JsonSchema } from '../../json.ts';
import * as s from '../../schema.ts';

const numberOrNull = s.nullable(s.number);
const textOrNull = s.nullable(s.text);
const metadata: JsonSchema = { type: 'object' };
const contents = s.list(s.resource({ content: s.text }));
const word = s.resource({ word: s.text, start: numberOrNull, end: numberOrNull, confidence: numberOrNull, language: {}, metadata });
const sentiment = {
  ...s.partial({ text: s.text, score: s.number, startTime: numberOrNull, endTime: numberOrNull }),
  required: ['text', 'sentiment', 'startTime', 'endTime', 'score'],
};

/** Required members of built-in messages written by users' processors: enough for later stages and for exports. */
export const BUILT_IN_MESSAGES: Readonly<Record<string, JsonSchema>> = {
  [MESSAGE_SCHEMAS.transcription]: s.resource({
    transcription: s.text,
    words: s.list(word),
    start: numberOrNull,
    end: numberOrNull,
    metadata,
    channel: textOrNull,
    utterance: s.flag,
  }),
  [MESSAGE_SCHEMAS.diarization]: s.resource({
    speakerIds: s.list(s.text),
    overlap: s.flag,
    start: s.number,
    end: s.number,
    metadata,
  }),
  [MESSAGE_SCHEMAS.llm]: s.partial(
    {
      promptId: textOrNull,
      sequenceId: s.integer,
      responseFormatSpecification: textOrNull,
      summary: contents,
      askAnything: contents,
      sentimentAnalysis: s.list(sentiment),
      metadata,
    },
    ['promptId', 'sequenceId', 'responseFormatSpecification', 'metadata'],
  ),
};

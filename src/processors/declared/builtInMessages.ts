import { MESSAGE_SCHEMAS } from '../../domain/stream/messages.ts';
import type { JsonObject } from '../../json.ts';

const numberOrNull = { type: ['number', 'null'] };
const word = {
  type: 'object',
  required: ['word'],
  properties: { word: { type: 'string' }, start: numberOrNull, end: numberOrNull, confidence: numberOrNull, metadata: { type: 'object' } },
};

/** Required members of built-in messages written by users' processors: enough for later stages and for exports. */
export const BUILT_IN_MESSAGES: Readonly<Record<string, JsonObject>> = {
  [MESSAGE_SCHEMAS.transcription]: {
    type: 'object',
    required: ['transcription', 'words', 'start', 'end', 'metadata', 'channel', 'utterance'],
    properties: {
      transcription: { type: 'string' },
      words: { type: 'array', items: { ...word, required: ['word', 'start', 'end', 'confidence', 'language', 'metadata'] } },
      start: numberOrNull,
      end: numberOrNull,
      metadata: { type: 'object' },
      channel: { type: ['string', 'null'] },
      utterance: { type: 'boolean' },
    },
  },
  [MESSAGE_SCHEMAS.diarization]: {
    type: 'object',
    required: ['speakerIds', 'overlap', 'start', 'end', 'metadata'],
    properties: {
      speakerIds: { type: 'array', items: { type: 'string' } },
      overlap: { type: 'boolean' },
      start: { type: 'number' },
      end: { type: 'number' },
      metadata: { type: 'object' },
    },
  },
  [MESSAGE_SCHEMAS.llm]: {
    type: 'object',
    required: ['promptId', 'sequenceId', 'responseFormatSpecification', 'metadata'],
    properties: {
      promptId: { type: ['string', 'null'] },
      sequenceId: { type: 'integer' },
      responseFormatSpecification: { type: ['string', 'null'] },
      summary: { $ref: '#/$defs/contents' },
      askAnything: { $ref: '#/$defs/contents' },
      sentimentAnalysis: {
        type: 'array',
        items: {
          type: 'object',
          required: ['text', 'sentiment', 'startTime', 'endTime', 'score'],
          properties: { text: { type: 'string' }, score: { type: 'number' }, startTime: numberOrNull, endTime: numberOrNull },
        },
      },
      metadata: { type: 'object' },
    },
    $defs: {
      contents: { type: 'array', items: { type: 'object', required: ['content'], properties: { content: { type: 'string' } } } },
    },
  },
};

import { MESSAGE_SCHEMAS } from '../../domain/stream/messages.ts';
import type { Json } from '../../json.ts';

/** A payload of each built-in message, as the built-in processors give it. */
export const EXAMPLES: Readonly<Record<string, Json>> = {
  [MESSAGE_SCHEMAS.transcription]: {
    transcription: 'Hello there, how are you?',
    words: [
      { word: 'Hello', start: 0, end: 420, confidence: 0.98, language: 'en', metadata: {} },
      { word: ' there,', start: 430, end: 800, confidence: 0.91, language: 'en', metadata: {} },
      { word: ' how', start: 900, end: 1_050, confidence: 0.95, language: 'en', metadata: {} },
      { word: ' are', start: 1_060, end: 1_200, confidence: 0.97, language: 'en', metadata: {} },
      { word: ' you?', start: 1_210, end: 1_500, confidence: null, language: 'en', metadata: {} },
    ],
    ...{ start: 0, end: 1_500, metadata: {}, channel: null, utterance: true },
  },
  [MESSAGE_SCHEMAS.diarization]: { speakerIds: ['speaker-1', 'speaker-2'], overlap: true, start: 0, end: 1_500, metadata: {} },
  [MESSAGE_SCHEMAS.llm]: {
    ...{ promptId: 'summary', sequenceId: 0, responseFormatSpecification: null },
    ...{ summary: [{ content: 'They greet each other.' }], metadata: {} },
  },
};

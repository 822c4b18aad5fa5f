import type { Transcription } from '../../../../src/domain/stream/messages.ts';
import type { StreamResults } from '../../../../src/results/results.ts';
import { transcriptOf } from '../../../../src/results/transcript.ts';

export const STREAM = { streamId: 's', name: 'Call', fileName: null, createdTimestamp: '2026-11-29T10:00:00.000Z', audioLength: 0 };

/** Results with these members, and nothing else. */
export const results = (some: Partial<StreamResults>): StreamResults => ({
  transcript: null,
  enhanced: null,
  summaries: [],
  answers: [],
  segments: null,
  stream: STREAM,
  speakerNames: new Map(),
  metadata: new Map(),
  ...some,
});

export const spokenResults = (...messages: Transcription[]): StreamResults => results({ transcript: transcriptOf(messages) });

const MILLISECONDS_OF_A_CHARACTER = 65;

/** An utterance spoken at an ordinary pace. */
export const timed = (text: string, more: Partial<Transcription> = {}): Transcription => {
  let at = more.start ?? 0;
  const words = text.split(/(?= )/).map((word) => {
    const start = at;
    at += word.length * MILLISECONDS_OF_A_CHARACTER;
    return { word, start, end: at, confidence: 0.9, language: 'en', metadata: {} };
  });
  return { transcription: text, words, start: 0, end: at, metadata: {}, channel: null, utterance: true, ...more };
};

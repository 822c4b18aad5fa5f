import { describe, expect, test } from 'vitest';
import { isEmpty, resultsOf, type SinkMessage, type SinkSource } from '../../../web/src/results/results.ts';

const TRANSCRIPTION = 'tech.vatis.schema.stream.processor.messages.transcription.TranscriptionResponseDto';
const LLM = 'tech.vatis.schema.stream.processor.messages.llm.LlmResponseDto';

const sink = (id: string, messageSchema: string): SinkSource => ({
  id,
  destination: { messageSchema },
  egress: { persist: true, sink: true, tags: [id] },
});
const CHAIN = [sink('transcriber', TRANSCRIPTION), sink('diarization', TRANSCRIPTION), sink('llm', LLM)];

let count = 0;
const message = (
  processorId: string,
  payloadSchema: string,
  payload: object,
  frameType: SinkMessage['frameType'] = 'final',
): SinkMessage => ({
  ...{ processorId, payloadSchema, payload, frameType },
  ...{ sinkTopicName: processorId, messageId: String(count++) },
});
const spoken = (transcription: string, more: object = {}): object => ({
  ...{ transcription, words: [], start: 0, channel: null, metadata: {}, ...more },
});

describe('the messages of a stream', () => {
  test('show results once if a later processor passes them on', () => {
    const messages = [
      message('transcriber', TRANSCRIPTION, spoken('hello')),
      message('diarization', TRANSCRIPTION, spoken('hello', { metadata: { speakerIds: ['A'] } })),
    ];
    expect(resultsOf(CHAIN, messages).utterances).toMatchObject([{ text: 'hello', speakers: ['Speaker A'] }]);
    expect(resultsOf(CHAIN, messages.slice(0, 1)).utterances).toMatchObject([{ text: 'hello', speakers: [] }]);
  });

  test('of several channels are in spoken order', () => {
    const messages = [
      message('transcriber', TRANSCRIPTION, spoken('first', { channel: '0', start: 0 })),
      message('transcriber', TRANSCRIPTION, spoken('third', { channel: '0', start: 2_000 })),
      message('transcriber', TRANSCRIPTION, spoken('second', { channel: '1', start: 1_000 })),
    ];
    expect(resultsOf(CHAIN, messages).utterances.map(({ text }) => text)).toEqual(['first', 'second', 'third']);
  });

  test('are tentative while partial, until the next one', () => {
    const partial = message('transcriber', TRANSCRIPTION, spoken('hel'), 'partial');
    expect(resultsOf(CHAIN, [partial])).toMatchObject({ tentative: 'hel', utterances: [] });
    const results = resultsOf(CHAIN, [partial, message('transcriber', TRANSCRIPTION, spoken('hello'))]);
    expect(results).toMatchObject({ tentative: '', utterances: [{ text: 'hello' }] });
  });

  test('name the origin of the corrected transcript and of the transcript as heard', () => {
    const { origins } = resultsOf(CHAIN, [
      message('transcriber', TRANSCRIPTION, spoken('helo', { metadata: { engine: 'faster-whisper', model: 'base' } })),
      message('llm', TRANSCRIPTION, spoken('Hello.', { metadata: { engine: 'llm', model: 'large' } })),
    ]);
    expect(origins.transcript).toMatchObject([{ engine: 'faster-whisper', model: 'base' }]);
    expect(origins.enhanced).toMatchObject([{ engine: 'llm', model: 'large' }]);
  });

  test('of the language model contain summary, answers, sentiment and an enhanced transcript', () => {
    const segment = { text: 'I love it.', sentiment: 'positive', startTime: null, score: 0.6 };
    const results = resultsOf(CHAIN, [
      message('llm', LLM, { promptId: null, summary: [{ content: 'Short.' }] }),
      message('llm', LLM, { promptId: 'who', askAnything: [{ content: 'Anna' }] }),
      message('llm', LLM, { promptId: null, sentimentAnalysis: [segment] }),
      message('llm', TRANSCRIPTION, spoken('Hello.')),
    ]);
    expect(results).toMatchObject({
      summaries: ['Short.'],
      answers: [{ promptId: 'who', content: 'Anna' }],
      segments: [segment],
      enhanced: [{ text: 'Hello.' }],
      utterances: [],
    });
    expect([isEmpty(results), isEmpty(resultsOf(CHAIN, []))]).toEqual([false, true]);
  });
});

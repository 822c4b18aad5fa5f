import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { heardWords, type StubEngine, startStubEngine } from '../fakes/engineServer.ts';
import { silence } from '../speech.ts';
import { call } from './client.ts';
import { ADMIN_KEY, type RunningServer, startServer } from './server.ts';

const DIARIZATION_TEMPLATE = '669fee048452492b62cfad39';
const MESSAGES = 'tech.vatis.schema.stream.processor.messages';
const PROPERTIES = 'tech.vatis.schema.stream.processor.properties';

let speech: StubEngine;
let server: RunningServer;
beforeAll(async () => {
  speech = await startStubEngine();
  server = await startServer({ environment: { TRANSCRIBER_URL: speech.url } });
});
afterAll(async () => {
  await server.kill();
  await speech.close();
});

/**
 * Does what the public samples do: reads RESPONSE messages from the WebSocket gateway, compares the schemas literally, and prints the text of final
 * transcriptions, the turns of speakers and the summaries.
 */
const printed = async (url: string, query: Readonly<Record<string, string>>, audio: Buffer): Promise<string[]> => {
  const lines: string[] = [];
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws-gateway/api/v1?${new URLSearchParams(query)}`, {
    headers: { authorization: `Basic ${ADMIN_KEY}` },
  });
  socket.on('message', (data: Buffer) => {
    const { type, response } = JSON.parse(data.toString());
    if (type !== 'RESPONSE' || response.frameType !== 'final') return;
    const { payloadSchema, payload } = response;
    switch (payloadSchema) {
      case 'tech.vatis.schema.stream.processor.messages.transcription.TranscriptionResponseDto':
        lines.push(`text: ${payload.transcription.trim()}`);
        break;
      case 'tech.vatis.schema.stream.processor.messages.diarization.DiarizationResponseDto':
        lines.push(`turn: ${payload.speakerIds.join()}`);
        break;
      case 'tech.vatis.schema.stream.processor.messages.llm.LlmResponseDto':
        if (payload.summary) lines.push('summary');
        break;
    }
  });
  await once(socket, 'open');
  socket.send(audio);
  socket.send(JSON.stringify({ type: 'END_OF_STREAM' }));
  await once(socket, 'close');
  return lines;
};

describe('a client that compares schema names literally', () => {
  test('prints the transcript, the turns and the summary', async () => {
    speech.next({
      body: {
        ...{ language: 'english', duration: 4, text: 'Hello there. Good to see you.' },
        segments: [
          { start: 0, end: 1.5, text: ' Hello there.', speaker: 'SPEAKER_01' },
          { start: 2, end: 4, text: ' Good to see you.', speaker: 'SPEAKER_00' },
        ],
        words: heardWords(['Hello', 0, 0.5], ['there', 0.6, 1.5], ['Good', 2, 2.3], ['to', 2.3, 2.4], ['see', 2.5, 2.9], ['you', 3, 4]),
      },
    });
    const query = { streamConfigurationTemplateId: DIARIZATION_TEMPLATE, summary: 'true' };
    const lines = await printed(server.url, query, silence(250));
    expect(lines).toContain('text: Hello there.');
    expect(lines).toContain('text: Good to see you.');
    expect(lines).toContain('turn: A');
    expect(lines).toContain('summary');
  });
});

describe('the schemas of', () => {
  test('built-in processors have their public names', async () => {
    const { body } = await call(server.url, '/stream-configuration-service/api/v1/processor-declarations?size=100');
    const schemas = body.content.map((one: Record<string, unknown>) => [one.id, one.inputSchemas, one.outputSchema, one.propertiesSchema]);
    const transcription = `${MESSAGES}.transcription.TranscriptionResponseDto`;
    const batch = `${PROPERTIES}.fasterwhisper.FasterWhisperProcessorPropertiesDto`;
    for (const row of [
      ['echo', ['bytes'], 'bytes', `${PROPERTIES}.NoPropertiesDto`],
      ['batch-transcriber', ['bytes'], transcription, batch],
      ['romanian-transcriber', ['bytes'], transcription, batch],
      ['realtime-transcriber', ['bytes'], transcription, `${PROPERTIES}.liveasr.LiveAsrProcessorPropertiesDto`],
      ['speaker-diarization', [transcription], transcription, `${PROPERTIES}.pyannote.PyAnnoteProcessorPropertiesDto`],
      ['llm', [transcription, 'string'], `${MESSAGES}.llm.LlmResponseDto`, `${PROPERTIES}.llm.LlmPropertiesDto`],
    ])
      expect(schemas).toContainEqual(row);
  });
});

import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'vitest';
import { call } from '../../e2e/client.ts';
import { type Attack, repeat, type Target } from '../attack.ts';

const BASE = '/stream-configuration-service/api/v1';
const SCHEMA = 'tech.vatis.schema.stream.processor.messages.transcription.TranscriptionResponseDto';
/** Requests at a time, beside those that have stopped. A user has room for the text of one. */
const LANES = 2;
const MEBIBYTE = 1_048_576;
const MESSAGES = 14;
/** One such character doubles the memory of a text in JavaScript. */
const TEXT = `字${'a b '.repeat(240_000)}`;
const LINE = `${JSON.stringify({ output: { transcription: TEXT, words: [], start: 0, end: 1, metadata: {}, channel: null, utterance: true } })}\n`;
/** After this, only the last event is left. */
const STOPS_AT = MESSAGES * 960_000 + 600_000;

let own: { readonly server: Server; readonly model: string } | null = null;

const form = (fields: Readonly<Record<string, string>>): Buffer => {
  const parts = Object.entries(fields).map(([name, value]) => `--B\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`);
  return Buffer.from(`${parts.join('')}--B\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n\r\nxxxx\r\n--B--\r\n`);
};

/** Resolves when the answer has ended, or when the client stops reading it. */
const stopBeforeTheEnd = ({ port, key, signal, count }: Target): Promise<void> =>
  new Promise((resolve) => {
    const body = form({ model: own?.model ?? '', stream: 'true' });
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'multipart/form-data; boundary=B', 'content-length': body.length };
    const asked = request({ port, host: '127.0.0.1', method: 'POST', path: '/v1/audio/transcriptions', agent: false, headers, signal });
    asked.on('error', () => resolve());
    asked.on('response', (answer) => {
      let bytes = 0;
      let tail = '';
      answer
        .on('error', () => resolve())
        .on('end', () => {
          count(`${answer.statusCode} ${tail.includes('event: error') ? 'refused' : 'to its end'}`);
          resolve();
        });
      answer.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        tail = (tail + chunk.toString('latin1')).slice(-1_000);
        if (bytes < STOPS_AT || answer.isPaused()) return;
        count('stopped');
        answer.pause();
        resolve();
      });
    });
    asked.end(body);
  });

/** Streamed transcriptions with much text of the attacker's own processor. Their clients stop reading in the last event, which has the whole text. */
export const stoppedTranscripts: Attack = {
  name: 'stopped-transcripts',
  by: 'a user',
  until: ['stopped', '200 refused'],
  prepare: async ({ url, key }) => {
    const server = createServer((incoming, response) => {
      incoming.resume();
      response.writeHead(200, { 'content-type': 'application/x-ndjson' });
      response.end(`${LINE.repeat(MESSAGES)}{"end":true}\n`);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const limits = { maxOutputBytes: 64 * MEBIBYTE, attempts: 1 };
    const declaration = { name: 'long', url: address, mode: 'batch', inputSchema: 'bytes', outputSchema: SCHEMA, limits };
    const content = { ...declaration, operationType: 'BATCH_TRANSCRIPTION' };
    const { body: declared } = await call(url, `${BASE}/processor-declarations`, { method: 'PUT', key, body: content });
    const template = { name: 'long', processors: [{ id: 'own', processorDeclarationId: declared.id }] };
    const { body } = await call(url, `${BASE}/stream-configuration-templates`, { method: 'PUT', key, body: template });
    own = { server, model: body.id };
  },
  run: (target) => repeat(target.signal, LANES, () => stopBeforeTheEnd(target)),
  check: ({ outcomes }) => {
    own?.server.closeAllConnections();
    own?.server.close();
    expect((outcomes.get('stopped') ?? 0) + (outcomes.get('200 refused') ?? 0)).toBeGreaterThan(0);
    expect(outcomes.get('200 to its end')).toBeUndefined();
  },
};

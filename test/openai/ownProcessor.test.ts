import OpenAI from 'openai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MESSAGE_SCHEMAS } from '../../src/domain/stream/messages.ts';
import { call } from '../e2e/client.ts';
import { type RunningServer, startServer } from '../e2e/server.ts';
import { type StubEngine, startStubEngine } from '../fakes/engineServer.ts';
import { Receiver } from '../receiver.ts';
import { clientOf, HEARD, recording } from './speechStub.ts';

const BASE = '/stream-configuration-service/api/v1';

let server: RunningServer;
let processor: Receiver;
let engine: StubEngine;
let openai: OpenAI;
/** A chain with a transcriber and a processor of a user's own, which corrects its transcription. */
let model: string;

beforeAll(async () => {
  [processor, engine] = await Promise.all([Receiver.start(), startStubEngine()]);
  engine.always({ body: HEARD });
  server = await startServer({ environment: { TRANSCRIBER_URL: engine.url, WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' } });
  openai = clientOf(server.url);
  const schema = MESSAGE_SCHEMAS.transcription;
  const declaration = { name: 'Our corrector', url: processor.url('/'), mode: 'batch', inputSchema: schema, outputSchema: schema };
  const declared = await call(server.url, `${BASE}/processor-declarations`, { method: 'PUT', body: declaration });
  const stage = (id: string, processorDeclarationId: string, previousProcessorId: string | null) => ({
    ...{ id, processorDeclarationId, previousProcessorId, egress: { sink: true } },
  });
  const processors = [stage('transcriber', 'batch-transcriber', null), stage('corrector', declared.body.id, 'transcriber')];
  const body = { name: 'own', dataSourceSchema: 'bytes', processors };
  model = (await call(server.url, `${BASE}/stream-configuration-templates`, { method: 'PUT', body })).body.id;
});
afterAll(async () => {
  await server.kill();
  await Promise.all([processor.close(), engine.close()]);
});

const answerWith = (line: object): void =>
  processor.answer('/', (_, response) =>
    response.writeHead(200, { 'content-type': 'application/x-ndjson' }).end(`${JSON.stringify(line)}\n{"end": true}\n`),
  );

test.each([
  ['an output that does not fit its schema', { output: { transcription: 'Hello' } }],
  ['a line that is none of the protocol', { hello: 'there' }],
  ['an error of its own', { error: { name: 'OUT_OF_MEMORY', message: 'no room' } }],
])("answers 400 that names a user's own processor for %s", async (_, line) => {
  answerWith(line);
  const refused = await openai.audio.transcriptions.create({ file: recording(), model }).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(OpenAI.BadRequestError);
  expect(refused).toMatchObject({ param: 'model', code: 'processor_failed', type: 'invalid_request_error' });
  expect(String(refused)).toMatch(/Your own processor "corrector" in this model failed: Our corrector (sent|reported) /);
});

test('blames no own processor when the speech engine of the same chain fails', async () => {
  answerWith({ output: {} });
  engine.always({ status: 400, body: { error: { message: 'no' } } });
  const failed = await openai.audio.transcriptions.create({ file: recording(), model }).catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(OpenAI.APIError);
  expect(failed).not.toMatchObject({ code: 'processor_failed' });
  engine.always({ body: HEARD });
});

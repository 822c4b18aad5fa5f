import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'vitest';
import { MESSAGE_SCHEMAS } from '../../../src/domain/stream/messages.ts';
import type { Json } from '../../../src/json.ts';
import { call, getStream, upload } from '../../e2e/client.ts';
import { eventually } from '../../eventually.ts';
import { type Attack, repeat, type Target } from '../attack.ts';

const BASE = '/stream-configuration-service/api/v1';
const FORMATS = ['JSON', 'TEXT', 'SRT', 'VTT'];
const PREPARED_WITHIN = 120_000;

const line = (transcription: string, more: Record<string, Json> = {}): string =>
  `${JSON.stringify({ output: { transcription, words: [], start: 0, end: 1, metadata: {}, channel: '0', utterance: true, ...more } })}\n`;

const warned = (warnings: readonly string[]): string => line('a', { metadata: { engine: 'x', warnings: [...warnings] } });

/** Messages with very many warnings, very many utterances, and long texts that are slow to judge. */
const ANSWERS: readonly ((count: number) => readonly string[])[] = [
  (count) => [warned(Array.from({ length: 40_000 }, (_, n) => `w${n}`)), ...Array<string>(count).fill(warned(['w']))],
  (count) => Array<string>(10 * count).fill(line('a b')),
  (count) => Array<string>(3).fill(line('I love this very good and not so bad thing but. '.repeat(10 * count))),
];

const attack: { server: Server | null; streams: string[] } = { server: null, streams: [] };

const answer = (response: ServerResponse, lines: readonly string[]): void => {
  response.writeHead(200, { 'content-type': 'application/x-ndjson' });
  response.end(`${lines.join('')}{"end":true}\n`);
};

const ended = async (url: string, streamId: string, key: string) => {
  const { body } = await getStream(url, streamId, { key });
  return body.state !== 'READY' && body;
};

/** A template of the attacker's processor, whose messages are then judged. */
const prepare = async ({ url, key, short }: Target): Promise<void> => {
  let runs = 0;
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => answer(response, ANSWERS[runs++ % ANSWERS.length]?.(short ? 100 : 2_000) ?? []));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  attack.server = server;
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const own = { name: 'long', url: address, mode: 'batch', inputSchema: 'bytes', outputSchema: MESSAGE_SCHEMAS.transcription };
  const { body: declared } = await call(url, `${BASE}/processor-declarations`, { method: 'PUT', key, body: own });
  const egress = { sink: true, tags: ['main'], persist: true };
  const judged = { sentimentAnalysis: { enabled: true } };
  const processors = [
    { id: 'own', processorDeclarationId: declared.id, egress },
    { id: 'llm', processorDeclarationId: 'llm', previousProcessorId: 'own', properties: judged, egress },
  ];
  const template = { name: 'long', processors };
  const { body } = await call(url, `${BASE}/stream-configuration-templates`, { method: 'PUT', key, body: template });
  const query = { streamConfigurationTemplateId: body.id, persist: 'true' };
  attack.streams = [];
  for (const _ of ANSWERS) attack.streams.push((await upload(url, query, 'x', { key })).body.streamId);
  for (const streamId of attack.streams)
    expect((await eventually(() => ended(url, streamId, key), PREPARED_WITHIN)).stateDescription).toBeNull();
};

/** Exports of results that a user's own processor made long. */
export const longResults: Attack = {
  name: 'long-results',
  by: 'a user',
  prepare,
  until: ['JSON 200'],
  run: ({ url, headers, signal, count }) => {
    let asked = 0;
    return repeat(signal, 2, async () => {
      const format = FORMATS[asked % FORMATS.length] ?? 'JSON';
      const streamId = attack.streams[asked % attack.streams.length];
      asked += 1;
      const exported = await fetch(`${url}/export-service/api/v1/export/${format}?streams=${streamId}`, { headers, signal });
      const text = await exported.text();
      const warnings = /"warnings":(\[[^\]]*\])/.exec(text)?.[1];
      if (warnings) count(`${JSON.parse(warnings).length} warnings`);
      count(`${format} ${exported.status}`);
    });
  },
  check: ({ outcomes }) => {
    attack.server?.closeAllConnections();
    attack.server?.close();
    const allowed = /^(100 warnings|\w+ (200|503))$/;
    expect([...outcomes.keys()].filter((outcome) => !allowed.test(outcome))).toEqual([]);
    expect(outcomes.get('JSON 200')).toBeGreaterThan(0);
  },
};

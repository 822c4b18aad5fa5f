import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'vitest';
import type { WebSocket } from 'ws';
import { call } from '../../e2e/client.ts';
import { type Attack, repeat, type Target } from '../attack.ts';
import { openSocket } from '../sockets.ts';

const BASE = '/stream-configuration-service/api/v1';
const LANES = 16;
const KEEP_ALIVE = JSON.stringify({ type: 'KEEP_ALIVE' });
const KEEP_ALIVE_MILLISECONDS = 5_000;

interface Idle {
  readonly query?: Readonly<Record<string, string>>;
  /** Sent one after another: text, or bytes. */
  readonly messages: readonly (string | Buffer)[];
  readonly sockets: number;
}

/** `open` when the stream exists, or the status of a refusal. */
const outcomeOf = (socket: WebSocket): Promise<string> =>
  new Promise((resolve) => {
    socket.on('message', (data) => {
      const { type, error } = JSON.parse(String(data));
      if (type === 'ERROR') resolve(String(error.statusCode));
      if (type === 'RESPONSE' || type === 'STREAM_METADATA') resolve('open');
    });
    socket.once('close', () => resolve('closed'));
  });

const stayIdle = async (target: Target, { query, messages, sockets: most }: Idle): Promise<void> => {
  const { signal, count } = target;
  const sockets = new Set<WebSocket>();
  await repeat(signal, LANES, async () => {
    if (sockets.size >= most) return void (await wait(KEEP_ALIVE_MILLISECONDS, undefined, { signal }));
    const socket = await openSocket(target, query);
    sockets.add(socket);
    const staying = setInterval(() => socket.send(KEEP_ALIVE), KEEP_ALIVE_MILLISECONDS);
    socket.once('close', () => {
      clearInterval(staying);
      sockets.delete(socket);
    });
    const outcome = outcomeOf(socket);
    for (const message of messages) socket.send(message, { binary: typeof message !== 'string' });
    const known = await outcome;
    if (!signal.aborted) count(known);
  });
  for (const socket of sockets) socket.terminate();
};

/** Sockets that send one large message each, read what comes back, and then only stay open. */
export const idleSockets: Attack = {
  name: 'idle-sockets',
  by: 'a user',
  until: ['open'],
  run: (target) => stayIdle(target, { messages: [Buffer.alloc(1_000_000, 'a')], sockets: target.short ? 25 : 250 }),
  check: ({ outcomes }) => expect([...outcomes.keys()]).toEqual(['open']),
};

const templateIds = new Map<string, string>();
/** Nearly the 256 KiB of text that a configuration may take, and six times as much in memory. */
const WORDS = 24_000;
const CONFIGURATION = JSON.stringify({
  type: 'CONFIGURATION',
  patches: { 'processors.own.properties.words': Array.from({ length: WORDS }, (_, n) => `${10_000 + n}z`) },
});

/** The same with one byte and the largest allowed configuration of its own for each stream: as many as the server holds for one user. */
export const idleConfigurations: Attack = {
  name: 'idle-configurations',
  by: 'a user',
  until: ['open'],
  prepare: async ({ url, key }) => {
    const own = { name: 'own', url: 'http://127.0.0.1:9/', mode: 'batch', inputSchema: 'bytes', outputSchema: 'bytes' };
    const declaration = { ...own, propertiesJsonSchema: { type: 'object', properties: { words: { type: 'array' } } } };
    const { body: declared } = await call(url, `${BASE}/processor-declarations`, { method: 'PUT', key, body: declaration });
    const template = { name: 'own', processors: [{ id: 'own', processorDeclarationId: declared.id, properties: { words: [] } }] };
    const { body } = await call(url, `${BASE}/stream-configuration-templates`, { method: 'PUT', key, body: template });
    templateIds.set(key, body.id);
  },
  run: (target) => {
    const query = { streamConfigurationTemplateId: templateIds.get(target.key) ?? '', configurationMessage: 'true' };
    return stayIdle(target, { query, messages: [CONFIGURATION, Buffer.from('x')], sockets: target.short ? 10 : 400 });
  },
  check: ({ outcomes }) => {
    expect([...outcomes.keys()].filter((outcome) => !['open', '429', '503'].includes(outcome))).toEqual([]);
    expect(outcomes.get('open')).toBeGreaterThan(0);
  },
};

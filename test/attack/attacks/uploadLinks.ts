import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'vitest';
import { TRANSCRIPTION_TEMPLATE } from '../../e2e/client.ts';
import { type Attack, repeat } from '../attack.ts';

const LANES = 16;
/** An upload of a link that never ends is left after this time. */
const PATIENCE_MILLISECONDS = 1_000;
const DRIP_MILLISECONDS = 20;
const PAUSE_MILLISECONDS = 50;
const MEBIBYTE = 1_048_576;
const PIECE = Buffer.alloc(65_536, 'RIFF');

const endless = (response: ServerResponse): void => {
  response.writeHead(200, { 'content-type': 'audio/wav' });
  const more = (): void => {
    while (!response.destroyed && response.write(PIECE));
  };
  response.on('drain', more).on('error', () => {});
  more();
};

const drip = (response: ServerResponse): void => {
  response.writeHead(200, { 'content-type': 'audio/wav' });
  const timer = setInterval(() => response.write('R'), DRIP_MILLISECONDS);
  response.on('close', () => clearInterval(timer)).on('error', () => {});
};

/** Links that never answer, never end, redirect for ever, promise too much, are encoded, or answer with the largest headers. */
const ANSWERS: readonly ((response: ServerResponse, url: string) => void)[] = [
  () => {},
  endless,
  drip,
  (response, url) => void response.writeHead(302, { location: `${url}x` }).end(),
  (response) => void response.writeHead(200, { 'content-length': String(2 ** 50) }).write('x'),
  (response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end(Buffer.alloc(MEBIBYTE)),
  (response) => void response.writeHead(200, { 'x-large': 'x'.repeat(15_000) }).end('not audio'),
  (response) => void response.writeHead(500).end('<'.repeat(MEBIBYTE)),
];

/** The attacker's own server, what it was sent, and the credential that it must never see. */
let hostile: { readonly server: Server; readonly url: string; readonly seen: string[]; requests: number } | null = null;

const headersOf = ({ url, rawHeaders }: IncomingMessage): string => [url, ...rawHeaders].join(' ');

/** Uploads of links to a hostile server, with the credential in the query. */
export const uploadLinks: Attack = {
  name: 'upload-links',
  by: 'a user',
  prepare: async () => {
    const server = createServer((request, response) => {
      request.resume();
      if (!hostile) return;
      hostile.seen.push(headersOf(request));
      ANSWERS[hostile.requests++ % ANSWERS.length]?.(response, request.url ?? '/');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    hostile = { server, url: `http://127.0.0.1:${port}/`, seen: [], requests: 0 };
  },
  run: ({ url, key, signal, count }) =>
    repeat(signal, LANES, async () => {
      const query = new URLSearchParams({ streamConfigurationTemplateId: TRANSCRIPTION_TEMPLATE, access_token: key });
      const leaving = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MILLISECONDS)]);
      try {
        const answer = await fetch(`${url}/http-gateway/api/v1/upload?${query}`, {
          method: 'POST',
          body: hostile?.url ?? '',
          signal: leaving,
        });
        await answer.arrayBuffer();
        count(answer.status);
      } catch (error) {
        if (signal.aborted || !leaving.aborted) throw error;
        count('left');
      }
      await wait(PAUSE_MILLISECONDS);
    }),
  check: ({ target: { key }, outcomes }) => {
    hostile?.server.closeAllConnections();
    hostile?.server.close();
    // 503: this machine has no engine for recordings.
    expect([...outcomes.keys()].filter((outcome) => !['200', '429', '503', 'left'].includes(outcome))).toEqual([]);
    if (!outcomes.has('503')) expect(hostile?.requests).toBeGreaterThan(0);
    expect(hostile?.seen.filter((text) => text.includes(key) || /authorization|access_token/i.test(text))).toEqual([]);
  },
};

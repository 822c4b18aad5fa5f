import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { TEXT_TEMPLATE } from '../../e2e/client.ts';
import { type Attack, json, repeat, send, untilOver } from '../attack.ts';

const TEMPLATES = '/stream-configuration-service/api/v1/stream-configuration-templates';
const ENDPOINTS = '/notification-service/api/v1/webhook-endpoints';
const TOKENS = '/realms/tributary/protocol/openid-connect/token';
const UPLOAD = '/http-gateway/api/v1/upload';

/** 64 KB of different names. */
const FORM = Array.from({ length: 16_380 }, (_, index) => index.toString(36).padStart(3, '0')).join('&');

export const forms: Attack = {
  name: 'forms',
  by: 'nobody',
  allowed: [400, 413, 429],
  run: (target) =>
    repeat(target.signal, 8, async (lane) => {
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      await send(target, TOKENS, { method: 'POST', headers, body: lane % 2 === 0 ? FORM : FORM.slice(0, 8_000) });
    }),
};

const filled = (unit: string, bytes: number): string => `[${unit.repeat(Math.floor(bytes / unit.length)).slice(0, -1)}]`;
const BODIES = [
  filled('{},', 1_000_000),
  `${'['.repeat(500_000)}`,
  filled('"x",', 79_000),
  JSON.stringify({ name: 'x'.repeat(1_000_000) }),
];

/** Bodies of the largest size: many values, deep ones, and a long text. */
export const jsonBodies: Attack = {
  name: 'json-bodies',
  by: 'a user',
  allowed: [400, 413, 429, 503],
  run: (target) =>
    repeat(target.signal, 16, async (lane) => {
      await send(target, lane % 2 === 0 ? TEMPLATES : ENDPOINTS, json('PUT', BODIES[lane % BODIES.length] ?? ''));
    }),
};

const question = (specification: object) => ({ content: 'Which?', responseFormat: { specification: JSON.stringify(specification) } });
const branches = (seed: number) => ({
  anyOf: Array.from({ length: 400 }, (_, n) => ({ properties: { [`a${n}_${seed}`]: { pattern: `^(?=x)${n}(y+)+$` } } })),
});
let seed = 0;

/** Response formats that are slow to compile, and slow to apply. */
export const schemas: Attack = {
  name: 'schemas',
  by: 'a user',
  allowed: [200, 400, 429],
  run: (target) =>
    repeat(target.signal, 4, async (lane) => {
      seed += 1;
      const processors = [{ id: 'llm', processorDeclarationId: 'llm', properties: { askAnything: { a: question(branches(seed)) } } }];
      if (lane < 2) await send(target, TEMPLATES, json('PUT', { name: `attack ${seed}`, dataSourceSchema: 'string', processors }));
      else {
        const ask0Format = JSON.stringify({ type: 'string', pattern: '^(?=a)(a+)+$' });
        const query = new URLSearchParams({ streamConfigurationTemplateId: TEXT_TEMPLATE, ask0: 'aaa', ask0Format });
        await send(target, `${UPLOAD}?${query}`, { method: 'POST', body: `${'a'.repeat(60)}! `.repeat(20) });
      }
    }),
};

const BOUNDARY = 'boundary';
const part = (name: string, value: string): string => `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
const FORMS = [
  Array.from({ length: 5_000 }, (_, n) => part(`f${n}`, 'x')).join(''),
  part('configuration', filled('{},', 900_000)),
  `--${BOUNDARY}\r\n${'X-Header: y\r\n'.repeat(20_000)}\r\n`,
];

/** Multipart uploads of many fields, of large configurations and of endless headers. */
export const multipart: Attack = {
  name: 'multipart',
  by: 'a user',
  allowed: [200, 400, 413, 429, 503],
  run: (target) =>
    repeat(target.signal, 12, async (lane) => {
      const headers = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` };
      const path = lane % 2 === 0 ? `${UPLOAD}?streamConfigurationTemplateId=${TEXT_TEMPLATE}` : '/v1/audio/transcriptions';
      await send(target, path, { method: 'POST', headers, body: `${FORMS[lane % FORMS.length]}--${BOUNDARY}--\r\n` });
    }),
};

const READS = ['/stream-service/api/v1/streams?size=1', `${TEMPLATES}?size=1`, ENDPOINTS, '/usage-service/api/v1/usage/report'];

/** Small reads on 400 connections, each asked again as soon as it is answered. */
export const manyRequests: Attack = {
  name: 'many-requests',
  by: 'a user',
  allowed: [200, 429, 503],
  run: async ({ port, headers, signal, count }) => {
    const sockets = Array.from({ length: 400 }, (_, n) => {
      const request = `GET ${READS[n % READS.length]} HTTP/1.1\r\nHost: x\r\nAuthorization: ${headers.authorization}\r\n\r\n`;
      const socket = connect(port, '127.0.0.1', () => socket.write(request));
      socket.on('error', () => {});
      socket.on('data', (data) => {
        const [, status] = /^HTTP\/1\.1 (\d{3})/.exec(data.toString('latin1', 0, 12)) ?? [];
        // A small answer may come in two pieces.
        if (status === undefined) return;
        count(status);
        socket.write(request);
      });
      return socket;
    });
    await untilOver(signal);
    for (const socket of sockets) socket.destroy();
  },
};

const SLOW = [
  `POST ${TOKENS} HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 1000\r\n\r\n`,
  'GET /health/live HTTP/1.1\r\nHost: x\r\nX-Slow: ',
];

/** 900 connections whose headers and bodies arrive a byte at a time. */
export const slowSenders: Attack = {
  name: 'slow-senders',
  by: 'nobody',
  allowed: ['connected', 408],
  run: async ({ port, signal, count }) => {
    const sockets: Socket[] = Array.from({ length: 900 }, (_, n) => {
      const socket = connect(port, '127.0.0.1', () => count('connected'));
      socket.write(SLOW[n % SLOW.length] ?? '');
      socket.on('error', () => {});
      socket.on('data', (data) => count(data.toString('latin1', 9, 12)));
      return socket;
    });
    while (!signal.aborted) {
      for (const socket of sockets) if (socket.writable) socket.write('a');
      await wait(500);
    }
    for (const socket of sockets) socket.destroy();
  },
};

const TEMPLATE_TEXT = 'x'.repeat(60_000);
const largeTemplate = (name: string): object => ({
  name,
  processors: [{ id: 'echo', processorDeclarationId: 'echo', destinationTopicHeaders: { text: TEMPLATE_TEXT } }],
});

/** The most and largest templates: listed, and replaced. */
export const largeTemplates: Attack = {
  name: 'large-templates',
  by: 'a user',
  allowed: [200, 400, 429, 503],
  prepare: async (target) => {
    for (let n = 0; n < 100; n += 1) await send(target, TEMPLATES, json('PUT', largeTemplate(`Large ${n}`)));
  },
  run: (target) =>
    repeat(target.signal, 16, async (lane) => {
      await (lane < 12 ? send(target, `${TEMPLATES}?size=100`) : send(target, TEMPLATES, json('PUT', largeTemplate('One more'))));
    }),
};

/** Lists of large templates on 50 connections that read nothing. */
export const slowReaders: Attack = {
  name: 'slow-readers',
  by: 'a user',
  allowed: [200, 429, 503],
  prepare: largeTemplates.prepare?.bind(largeTemplates) ?? (async () => {}),
  run: async ({ port, headers, signal, count }) => {
    const head = `GET ${TEMPLATES}?size=100 HTTP/1.1\r\nHost: x\r\nAuthorization: ${headers.authorization}\r\n\r\n`;
    const sockets = Array.from({ length: 50 }, () => {
      const socket = connect(port, '127.0.0.1', () => socket.write(head));
      socket.on('error', () => {});
      socket.once('data', (data) => {
        socket.pause();
        count(data.toString('latin1', 9, 12));
      });
      return socket;
    });
    await untilOver(signal);
    for (const socket of sockets) socket.destroy();
  },
};

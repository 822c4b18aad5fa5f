import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Ajv, type ValidateFunction } from 'ajv';
import formats from 'ajv-formats';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { call, TEXT_TEMPLATE } from './client.ts';
import { ADMIN_KEY, type RunningServer, startServer } from './server.ts';

const META_SCHEMA = '@asyncapi/specs/schemas/3.0.0.json';

interface Message {
  contentType: string;
  payload: { $ref: string };
  examples?: { payload: object }[];
}

describe('the AsyncAPI document of a real server', () => {
  let server: RunningServer;
  // biome-ignore lint/suspicious/noExplicitAny: checked by assertions
  let document: any;
  let validatorOf: (message: string) => ValidateFunction;

  beforeAll(async () => {
    server = await startServer();
    ({ body: document } = await call(server.url, '/asyncapi.json', { key: null }));
    const ajv = new Ajv({ strict: false });
    formats.default(ajv);
    ajv.addSchema(document, 'doc');
    validatorOf = (message) => {
      const { payload } = document.channels.gateway.messages[message] as Message;
      return ajv.compile({ $ref: `doc${payload.$ref}` });
    };
  });
  afterAll(() => server.kill());

  const open = (query: Record<string, string>): WebSocket => {
    const address = `${document.servers.tributary.protocol}://${document.servers.tributary.host}${document.channels.gateway.address}`;
    return new WebSocket(`${address}?${new URLSearchParams(query)}`, { headers: { Authorization: `Basic ${ADMIN_KEY}` } });
  };

  /** Sends messages, and returns the server's messages up to the close. */
  const session = (query: Record<string, string>, sent: (string | Buffer)[]): Promise<Record<string, unknown>[]> =>
    new Promise((resolve, reject) => {
      const socket = open(query);
      const heard: Record<string, unknown>[] = [];
      socket.on('open', () => {
        for (const message of sent) socket.send(message);
      });
      socket.on('message', (data) => heard.push(JSON.parse(data.toString())));
      socket.on('close', () => resolve(heard));
      socket.on('error', reject);
    });

  const complaintsOf = (heard: readonly Record<string, unknown>[]): unknown[] =>
    heard.flatMap((message) => {
      const validate = validatorOf(`server.${message.type}`);
      return validate({ ...message }) ? [] : [message.type, validate.errors];
    });

  test('is valid under the official meta-schema of AsyncAPI 3.0', () => {
    const schema = JSON.parse(readFileSync(createRequire(import.meta.url).resolve(META_SCHEMA), 'utf8'));
    const ajv = new Ajv({ strict: false, meta: false, validateSchema: false, validateFormats: false });
    const validate = ajv.compile(schema);
    expect(validate(document) || validate.errors).toBe(true);
    expect(validate({ ...document, channels: 1 })).toBe(false);
    expect(document.asyncapi).toBe('3.0.0');
  });

  test("has examples that work, and the server's messages have the documented shape", async () => {
    const example = (type: string) => JSON.stringify(document.channels.gateway.messages[`client.${type}`].examples[0].payload);
    const sent = [example('CONFIGURATION'), Buffer.from('All is well.'), example('KEEP_ALIVE'), example('END_OF_STREAM')];
    const heard = await session({ streamConfigurationTemplateId: TEXT_TEMPLATE, configurationMessage: 'true' }, sent);
    expect(heard.map(({ type }) => type)).toEqual(expect.arrayContaining(['STREAM_METADATA', 'RESPONSE', 'KEEP_ALIVE', 'END_OF_STREAM']));
    expect(complaintsOf(heard)).toEqual([]);
  });

  test('has the documented shape of refusals too', async () => {
    const heard = await session({ streamConfigurationTemplateId: TEXT_TEMPLATE }, ['{']);
    expect(heard.at(-1)?.type).toBe('ERROR');
    expect(complaintsOf(heard)).toEqual([]);
  });

  test('names every form of a credential and every documented query parameter', () => {
    expect(document.servers.tributary.security).toHaveLength(Object.keys(document.components.securitySchemes).length);
    const { query } = document.channels.gateway.bindings.ws;
    const members = ['id', 'streamConfigurationTemplateId', 'egress', 'configurationMessage', 'format'];
    expect(Object.keys(query.properties)).toEqual(expect.arrayContaining(members));
  });
});

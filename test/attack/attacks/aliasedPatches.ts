import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'vitest';
import { call } from '../../e2e/client.ts';
import { type Attack, repeat, type Target } from '../attack.ts';

const BASE = '/stream-configuration-service/api/v1';
const STREAMS = '/stream-service/api/v1/streams';
const PROCESSORS = 50;
const ALIASES = 100;
const COUNT = 100;
const BULK_PAUSE = 1_000;

const each = <Value>(count: number, make: (index: number) => Value): Value[] => Array.from({ length: count }, (_, index) => make(index));
const PATCHES = Object.fromEntries(each(ALIASES, (index) => [`a${index}`, 0]));
/** The last patch is refused, after all others have been made. */
const REFUSED = { ...PATCHES, 'none/such': 1 };
const AS_HEADER = JSON.stringify(Object.keys(PATCHES).map((path) => ({ op: 'replace', path, value: 0 })));

let own: { readonly server: Server; readonly templateId: string; readonly streamId: string } | null = null;

const ask = async ({ url, headers, signal, count }: Target, method: string, path: string, more: object, body?: object): Promise<void> => {
  const init = body === undefined ? {} : { body: JSON.stringify(body) };
  const sent = { ...headers, ...more, 'content-type': 'application/json' };
  const answer = await fetch(url + path, { method, headers: sent, signal, ...init });
  await answer.arrayBuffer();
  count(`${method} ${answer.status}`);
};

/** Patches whose aliases stand for a place in each of fifty processors: of reruns, one by one and in bulk, and of a template that is shown. */
export const aliasedPatches: Attack = {
  name: 'aliased-patches',
  by: 'a user',
  prepare: async ({ url, key, headers }) => {
    const server = createServer((request, response) => {
      request.resume();
      response.writeHead(422).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const propertiesJsonSchema = { type: 'object', properties: Object.fromEntries(each(ALIASES, (index) => [`p${index}`, {}])) };
    const declaration = { name: 'patched', url: address, mode: 'batch', inputSchema: 'bytes', outputSchema: 'bytes', propertiesJsonSchema };
    const { body: declared } = await call(url, `${BASE}/processor-declarations`, { method: 'PUT', key, body: declaration });
    const patchAliases = Object.fromEntries(each(ALIASES, (index) => [`a${index}`, `/properties/p${index}`]));
    const processors = each(PROCESSORS, (index) => ({
      ...{ id: `p${index}`, previousProcessorId: index === 0 ? null : `p${index - 1}` },
      ...{ processorDeclarationId: declared.id, patchAliases },
    }));
    const template = { name: 'patched', processors };
    const { status, body } = await call(url, `${BASE}/stream-configuration-templates`, { method: 'PUT', key, body: template });
    if (status !== 200) throw new Error(`the template was answered with ${status}`);
    const query = `streamConfigurationTemplateId=${body.id}`;
    let streamId = '';
    for (let n = 0; n < COUNT; n += 1) {
      const answer = await fetch(`${url}/http-gateway/api/v1/upload?${query}`, { method: 'POST', headers, body: 'x' });
      streamId = ((await answer.json()) as { streamId: string }).streamId;
    }
    own = { server, templateId: body.id, streamId };
  },
  run: (target) =>
    repeat(target.signal, 8, async (lane) => {
      if (lane === 0) {
        await ask(target, 'POST', `${STREAMS}/rerun`, {}, { filter: { state: 'FAILED' }, patches: REFUSED });
        await wait(BULK_PAUSE, undefined, { signal: target.signal });
      } else if (lane < 5) await ask(target, 'POST', `${STREAMS}/${own?.streamId}/rerun`, {}, { patches: REFUSED });
      else await ask(target, 'GET', `${BASE}/stream-configuration-templates/${own?.templateId}`, { 'x-template-patch': AS_HEADER });
    }),
  check: ({ outcomes }) => {
    own?.server.close();
    expect(outcomes.get('POST 202')).toBeGreaterThan(0);
    expect(outcomes.get('POST 400')).toBeGreaterThan(0);
    expect(outcomes.get('GET 200')).toBeGreaterThan(0);
  },
};

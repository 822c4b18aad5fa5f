import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { call, TEXT_TEMPLATE } from '../e2e/client.ts';
import { startServer } from '../e2e/server.ts';
import { alias, anyValue, DOCUMENTED, pairs, patch, patchHeader, path } from '../generators/uploads.ts';
import { expectNoFault, FUZZ_TIMEOUT, tries } from './budget.ts';
import { expectNotReady, faultsOf } from './uploading.ts';

const TEMPLATES = '/stream-configuration-service/api/v1/stream-configuration-templates';

/** In the query, in the header, and in the configuration of a multipart upload. */
const uploaded = fc.oneof(
  pairs.map((given) => ({ query: given.map((one) => one.join('=')).join('&'), headers: {}, body: 'text' })),
  fc
    .tuple(patchHeader, fc.constantFrom('X-Vat-Meta-Template-Patch', 'X-Template-Patch'))
    .map(([text, name]) => ({ query: '', headers: { [name]: text }, body: 'text' })),
  fc.dictionary(fc.oneof(path, alias), anyValue, { maxKeys: 4 }).map((patches) => ({
    query: '',
    headers: { 'content-type': 'multipart/form-data; boundary=b' },
    body: [
      `--b\r\nContent-Disposition: form-data; name="configuration"\r\nContent-Type: application/json\r\n\r\n${JSON.stringify({ patches })}`,
      '--b\r\nContent-Disposition: form-data; name="file"\r\nContent-Type: application/octet-stream\r\n\r\ntext',
      '--b--\r\n',
    ].join('\r\n'),
  })),
);

const given = fc.oneof(
  uploaded.map((one) => ({ kind: 'upload' as const, ...one })),
  fc.array(fc.oneof(patch, anyValue), { maxLength: 3 }).map((jsonPatches) => ({ kind: 'template' as const, jsonPatches })),
);

test('patches: any form is applied or refused as documented, and leaves no stream READY', FUZZ_TIMEOUT, async () => {
  const server = await startServer({ environment: { MAX_CONCURRENT_STREAMS: '10000' } });
  const processors = [{ id: 'llm', processorDeclarationId: 'llm' }];
  const draft = { name: 'fuzz', dataSourceSchema: 'string', processors };
  const { body: template } = await call(server.url, TEMPLATES, { method: 'PUT', body: draft });
  await tries(given, async (one) => {
    if (one.kind === 'template') {
      expectNoFault(await call(server.url, `${TEMPLATES}/${template.id}`, { method: 'PATCH', body: { jsonPatches: one.jsonPatches } }));
      return;
    }
    const id = randomUUID();
    const answer = await call(
      server.url,
      `/http-gateway/api/v1/upload?streamConfigurationTemplateId=${TEXT_TEMPLATE}&id=${id}&${one.query}`,
      {
        method: 'POST',
        headers: { 'content-type': 'application/octet-stream', ...one.headers },
        body: Buffer.from(one.body),
      },
    );
    expectNoFault(answer);
    if (answer.status !== 200) expect(DOCUMENTED[answer.status]).toContain(answer.body.internalErrorName);
    await expectNotReady(server.url, id);
  });
  expect(faultsOf(server)).toEqual([]);
});

import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ErrorResponse } from '../../../../src/domain/problem.ts';
import { DOCUMENTED, multipartUpload, pairs, patchHeader } from '../../../generators/uploads.ts';
import { type Gateway, startGateway } from './gatewayServer.ts';

const TEXT = '7472696275746172790a7478';

let dataDir: string;
let gateway: Gateway;
beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'tributary-hostile-'));
  gateway = await startGateway(dataDir, { maxStreams: 100_000 });
});
afterAll(async () => {
  await gateway.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const send = async (query: string, body: Buffer, headers: Readonly<Record<string, string>>) => {
  const response = await fetch(`${gateway.url}/http-gateway/api/v1/upload?${query}`, {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream', ...headers },
    body,
  });
  const answer = (await response.json()) as ErrorResponse;
  if (response.status !== 200) {
    expect(DOCUMENTED[response.status] ?? [`${response.status}`]).toContain(answer.internalErrorName);
    expect(answer).toMatchObject({ statusCode: response.status, nestedErrors: expect.any(Array) });
  }
  expect(Object.keys(Object.prototype)).toEqual([]);
  return response.status;
};

/** Everything that there is on disk of streams. */
const stored = async () => ({ head: await gateway.log.head(), topics: readdirSync(join(dataDir, 'topics'), { recursive: true }).sort() });

describe('any patches of an upload', () => {
  test('in the query are applied, or refused with a documented error and nothing stored', async () => {
    const statuses = new Set<number>();
    await fc.assert(
      fc.asyncProperty(pairs, async (given) => {
        const query = given.map((one) => one.join('=')).join('&');
        const before = await stored();
        const status = await send(`streamConfigurationTemplateId=${TEXT}&${query}`, Buffer.from('text'), {});
        statuses.add(status);
        if (status !== 200) expect(await stored()).toEqual(before);
      }),
      { numRuns: 60 },
    );
    expect([...statuses].sort()).toEqual([200, 400]);
  });

  test('in the header are applied, or refused with a documented error and nothing stored', async () => {
    const statuses = new Set<number>();
    await fc.assert(
      fc.asyncProperty(patchHeader, fc.constantFrom('X-Vat-Meta-Template-Patch', 'X-Template-Patch'), async (text, name) => {
        const before = await stored();
        const status = await send(`streamConfigurationTemplateId=${TEXT}`, Buffer.from('text'), { [name]: text });
        statuses.add(status);
        if (status !== 200) expect(await stored()).toEqual(before);
      }),
      { numRuns: 100 },
    );
    expect([...statuses].sort()).toEqual([200, 400]);
  });
});

describe('any multipart upload', () => {
  test('is stored, or refused with a documented error; only a file that had begun leaves a FAILED stream', async () => {
    const statuses = new Set<number>();
    await fc.assert(
      fc.asyncProperty(multipartUpload, async ({ bytes, contentType }) => {
        const id = randomUUID();
        const before = await stored();
        const status = await send(`streamConfigurationTemplateId=${TEXT}&id=${id}`, bytes, { 'content-type': contentType });
        statuses.add(status);
        const stream = await gateway.streamOf(id);
        if (status === 200) expect(stream?.upload.state).toBe('completed');
        else if (stream === null) expect(await stored()).toEqual(before);
        else expect([stream.stream.state, (await stored()).topics]).toEqual(['FAILED', before.topics]);
      }),
      { numRuns: 100 },
    );
    expect([...statuses]).toEqual(expect.arrayContaining([200, 400]));
  });
});

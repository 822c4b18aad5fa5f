import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TEXT_TEMPLATE, upload } from '../e2e/client.ts';
import { startServer } from '../e2e/server.ts';
import { DOCUMENTED, multipartUpload } from '../generators/uploads.ts';
import { expectNoFault, FUZZ_TIMEOUT, tries } from './budget.ts';
import { expectNotReady, faultsOf } from './uploading.ts';

/** Bytes changed anywhere: in a boundary, a header, the end. */
const damaged = fc
  .tuple(multipartUpload, fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { maxLength: 3 }))
  .map(([{ bytes, contentType }, changes]) => {
    const changed = Buffer.from(bytes);
    for (const [at, byte] of changes) if (changed.length > 0) changed[at % changed.length] = byte;
    return { bytes: changed, contentType };
  });

test('multipart: any body is stored or refused as documented, and leaves no stream READY', FUZZ_TIMEOUT, async () => {
  const server = await startServer({ environment: { MAX_CONCURRENT_STREAMS: '10000' } });
  await tries(damaged, async ({ bytes, contentType }) => {
    const id = randomUUID();
    const answer = await upload(server.url, { streamConfigurationTemplateId: TEXT_TEMPLATE, id }, bytes, {
      headers: { 'content-type': contentType },
    });
    expectNoFault(answer);
    if (answer.status !== 200) expect(DOCUMENTED[answer.status]).toContain(answer.body.internalErrorName);
    await expectNotReady(server.url, id);
  });
  expect(faultsOf(server)).toEqual([]);
});

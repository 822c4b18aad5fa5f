import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { DiskSpace } from '../../../../src/stores/diskSpace.ts';
import { DataDisk } from '../../../../src/stores/embedded/dataDisk.ts';
import { ManualClock } from '../../../manualClock.ts';
import { temporaryDirectory } from '../../../temporaryDirectory.ts';
import { ALICE, BOB, type Gateway, startGateway } from './gatewayServer.ts';

const MEBIBYTE = 1024 ** 2;

type Body = Buffer | ReadableStream<Uint8Array>;

const served = async (
  work: (given: {
    gateway: Gateway;
    disk: DataDisk;
    send: (body: Body, query?: string, subject?: string) => Promise<Response>;
  }) => Promise<void>,
  options: { readonly maxStreams?: number } = {},
) => {
  const measure = () => ({ free: 12 * MEBIBYTE, total: 1024 ** 4 });
  const disk = new DataDisk({ dataDir: '/', watermark: 8 * MEBIBYTE, shared: 4 * MEBIBYTE, clock: new ManualClock(), measure });
  const gateway = await startGateway(temporaryDirectory(), { disk: disk satisfies DiskSpace, ...options });
  const send = (body: Body, query = '', subject = ALICE) =>
    fetch(`${gateway.url}/http-gateway/api/v1/upload?streamConfigurationTemplateId=65f46430c6d8985974ff9c9d${query}`, {
      method: 'POST',
      headers: { 'x-subject': subject },
      body,
      duplex: 'half',
    } as RequestInit);
  try {
    await work({ gateway, disk, send });
  } finally {
    await gateway.close();
  }
};

/** A body of unknown length. */
const streamed = (bytes: number): ReadableStream<Uint8Array> => {
  let left = bytes;
  return new ReadableStream({
    pull: (controller) => {
      if (left <= 0) return controller.close();
      left -= 65_536;
      controller.enqueue(new Uint8Array(65_536));
    },
  });
};

test("refuses an upload above its user's share of a short disk with 429 by its length, and no other user's", async () => {
  await served(async ({ send }) => {
    const refused = await send(Buffer.alloc(2.5 * MEBIBYTE));
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '30']);
    expect(await refused.json()).toMatchObject({
      internalErrorName: 'STREAM_USAGE_LIMIT_REACHED',
      message: expect.stringContaining('your share'),
    });
    expect((await send(Buffer.alloc(1.5 * MEBIBYTE))).status).toBe(200);
    expect((await send(Buffer.alloc(MEBIBYTE))).status).toBe(429);
    expect((await send(Buffer.alloc(MEBIBYTE), '', BOB)).status).toBe(200);
  });
});

test('cuts off an upload without a length where the share ends: FAILED with the reason, and its bytes are given back', async () => {
  await served(async ({ gateway, disk, send }) => {
    const id = randomUUID();
    const status = await send(streamed(2.5 * MEBIBYTE), `&id=${id}`).then(
      (answer) => answer.status,
      // The answer may arrive while the body is still being sent, which fetch reports as a failure.
      () => 429,
    );
    expect(status).toBe(429);
    await expect.poll(async () => (await gateway.streamOf(id))?.stream.state).toBe('FAILED');
    expect((await gateway.streamOf(id))?.stream.stateDescription).toContain('your share');
    expect(disk.added.of(ALICE)).toBe(0);
  });
});

test('counts small uploads, and gives back those that were not stored', async () => {
  await served(
    async ({ disk, send }) => {
      expect((await send(Buffer.alloc(10_000))).status).toBe(200);
      expect(disk.added.of(ALICE)).toBe(10_000);
      const refused = await Promise.all(Array.from({ length: 4 }, () => send(Buffer.alloc(10_000))));
      expect(refused.map(({ status }) => status)).toEqual([429, 429, 429, 429]);
      expect(disk.added.of(ALICE)).toBe(10_000);
    },
    { maxStreams: 1 },
  );
});

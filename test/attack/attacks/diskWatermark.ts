import { readdirSync, statfsSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { call, TEXT_TEMPLATE } from '../../e2e/client.ts';
import { type Attack, repeat } from '../attack.ts';

const TEMPLATE = `/stream-configuration-service/api/v1/stream-configuration-templates/${TEXT_TEMPLATE}`;
/** Free space above the watermark at the start, which users share. */
const ROOM_BYTES = 96 * 1_048_576;
/** Of other programs that write to the same disk, and SQLite's own pages. */
const SLACK_BYTES = 24 * 1_048_576;
const LANES = 4;

const freeBytes = (directory: string): number => {
  const { bavail, bsize } = statfsSync(directory);
  return bavail * bsize;
};

/** Of the server only: other programs write to the same disk. */
const bytesIn = (directory: string): number =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);

/** Persistent uploads and template patches on a disk that is short, until the attacker's share is used up. */
export const diskWatermark: Attack = {
  name: 'disk-watermark',
  by: 'a user',
  get environment() {
    return { DISK_WATERMARK_BYTES: String(freeBytes(tmpdir()) - ROOM_BYTES) };
  },
  until: '429',
  run: ({ url, headers, signal, count }) =>
    repeat(signal, LANES, async (lane) => {
      const content = 'x'.repeat(60_000);
      const jsonPatches = [{ op: 'replace', path: '/processors/llm/properties/askAnything/0/content', value: content }];
      const patch = { method: 'PATCH', headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify({ jsonPatches }) };
      const query = `streamConfigurationTemplateId=${TEXT_TEMPLATE}&persist=true`;
      const bytes = { method: 'POST', headers, body: Buffer.alloc(1_048_576, 'x') };
      const answer = await (lane === 0
        ? fetch(`${url}${TEMPLATE}`, { ...patch, signal })
        : fetch(`${url}/http-gateway/api/v1/upload?${query}`, { ...bytes, signal }));
      await answer.arrayBuffer();
      count(answer.status);
    }),
  check: async ({ target: { url, dataDir }, outcomes }) => {
    expect([...outcomes.keys()].filter((status) => !['200', '429', '503'].includes(status))).toEqual([]);
    expect(outcomes.get('429')).toBeGreaterThan(0);
    expect(bytesIn(dataDir)).toBeLessThan(ROOM_BYTES + SLACK_BYTES);
    const credential = { kind: 'api-key', role: 'user', label: 'made on a nearly full disk' };
    expect((await call(url, '/credential-service/api/v1/credentials', { method: 'POST', body: credential })).status).toBeLessThan(300);
  },
};

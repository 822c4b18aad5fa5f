import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { call, TEXT_TEMPLATE } from '../../e2e/client.ts';
import { type Attack, repeat } from '../attack.ts';

const TEMPLATE = `/stream-configuration-service/api/v1/stream-configuration-templates/${TEXT_TEMPLATE}`;
/** Free space above the watermark at the start, which users share. The innocent tenant needs some of it too. */
const ROOM_BYTES = 144 * 1_048_576;
const LANES = 4;

/** Of the server only: other programs write to the same disk. */
const bytesIn = (directory: string): number =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);

/** Persistent uploads and template patches on a disk that is short, until the attacker's share is used up. */
export const diskWatermark: Attack = {
  name: 'disk-watermark',
  by: 'a user',
  disk: {
    mebibytes: 512,
    settings: (free) => ({ DISK_WATERMARK_BYTES: String(free - ROOM_BYTES), DISK_SHARED_BYTES: String(ROOM_BYTES) }),
  },
  until: ['429'],
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
    expect(bytesIn(dataDir)).toBeLessThan(ROOM_BYTES);
    const credential = { kind: 'api-key', role: 'user', label: 'made on a nearly full disk' };
    expect((await call(url, '/credential-service/api/v1/credentials', { method: 'POST', body: credential })).status).toBeLessThan(300);
  },
};

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { call, PING_TEMPLATE, streamEnd, upload } from '../../e2e/client.ts';
import { tributary } from '../../e2e/tributary.ts';
import { accessibilityFaults } from '../accessibility.ts';
import type { Site } from '../site.ts';

/** An administrator sees stores, read models and leases, and builds a read model again. */
export const operationsStories = (given: () => Site): void => {
  describe('operations', () => {
    test('show the state of every store, the lag of every read model, and the leases with their holders', async () => {
      const page = await given().visit({ at: 'operations' });
      const stores = page.getByRole('region', { name: 'Stores' });
      await stores.getByRole('row').nth(1).waitFor();
      const health = await stores.getByRole('row').allInnerTexts();
      expect(health.slice(1).length).toBeGreaterThanOrEqual(3);
      for (const row of health.slice(1)) expect(row).toContain('Answers');
      const models = page.getByRole('region', { name: 'Read models' });
      await models
        .getByRole('row', { name: /streams version/ })
        .getByText('Live')
        .waitFor();
      await page
        .getByRole('region', { name: 'Work by node' })
        .getByRole('row', { name: /Policies/ })
        .waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
    });

    test('rebuild a read model at a click, after a question', async () => {
      const page = await given().visit({ at: 'operations' });
      const row = page.getByRole('row', { name: /groups version/ }).first();
      await row.getByRole('button', { name: 'Rebuild' }).click();
      const asked = page.waitForResponse((response) => response.url().endsWith('/projections/groups/rebuild'));
      await page.getByRole('dialog').getByRole('button', { name: 'Rebuild' }).click();
      expect((await asked).status()).toBe(202);
      await row.getByText('Live').waitFor();
    });

    test('says that a full server refuses uploads, and which setting is the limit', async () => {
      const page = await given().visit({ at: 'nowhere' });
      await page.route('**/operations-service/api/v1/system', async (route) => {
        const response = await route.fetch();
        const system = await response.json();
        await route.fulfill({ response, json: { ...system, queues: { ...system.queues, runningStreams: { running: 200, limit: 200 } } } });
      });
      await page.goto(`${given().url}/#/operations`);
      const queues = page.getByRole('region', { name: 'Queues of this node' });
      await queues.getByText('200 of at most 200 streams are running or waiting.').waitFor();
      await queues.getByText('MAX_RUNNING_STREAMS sets the limit.').waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
    });

    test('show the last backup of `tributary backup`, and which command makes one before that', { timeout: 180_000 }, async () => {
      const { server } = given();
      const page = await given().visit({ at: 'operations' });
      const node = page.getByRole('region', { name: 'This node', exact: true });
      await node.getByText('None yet. Run tributary backup <directory>.').waitFor();
      const parent = mkdtempSync(join(tmpdir(), 'tributary-backup-'));
      onTestFinished(() => rmSync(parent, { recursive: true, force: true }));
      const directory = join(parent, 'nightly');
      expect(await tributary(server.dataDir, ['backup', directory])).toMatchObject({ code: 0 });
      await expect.poll(() => node.innerText()).toMatch(/Last backup\s+(just now|\d+ s ago), [\d.]+ [KM]iB, verified/);
      await node.getByText(directory).waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
    });

    test('show whose results take the disk, and which are deleted next', async () => {
      const { server } = given();
      const credential = { kind: 'api-key', label: 'Bookkeeping', role: 'user' };
      const { secret } = (await call(server.url, '/credential-service/api/v1/credentials', { method: 'POST', body: credential })).body;
      const query = { streamConfigurationTemplateId: PING_TEMPLATE, keepFor: 'PT2H' };
      const { streamId } = (await upload(server.url, query, Buffer.alloc(700_000), { key: secret })).body;
      await streamEnd(server.url, streamId);
      const page = await given().visit({ at: 'operations' });
      const kept = page.getByRole('region', { name: 'Kept results', exact: true });
      await kept.getByText(/\d+ users? keeps? \d+ streams?, .*\(KEPT_BYTES_PER_USER\)/).waitFor();
      await kept.getByRole('row', { name: /^Bookkeeping .* 1 1\.3 MiB 1 stream, 1\.3 MiB$/ }).waitFor();
      await kept
        .getByRole('table', { name: 'Next deletions' })
        .getByRole('link', { name: streamId.slice(0, 8) })
        .waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
    });

    test('say of the cluster form with which tools it is backed up', async () => {
      const page = await given().visit({ at: 'nowhere' });
      await page.route('**/operations-service/api/v1/system', async (route) => {
        const response = await route.fetch();
        await route.fulfill({ response, json: { ...(await response.json()), form: 'cluster', disk: null, lastBackup: null } });
      });
      await page.goto(`${given().url}/#/operations`);
      await page.getByText('Not recorded here. Back up EventStoreDB first, then MongoDB, with their own tools.').waitFor();
    });

    test('show versions, disk, last backup, queues, engines and nodes', async () => {
      const page = await given().visit({ at: 'operations' });
      const node = page.getByRole('region', { name: 'This node', exact: true });
      await expect
        .poll(() => node.innerText())
        .toMatch(/Tributary\s+\d+\.\d+\.\d+, embedded[\s\S]*v\d+[\s\S]*free; uploads stop below[\s\S]*Last backup/);
      const queues = page.getByRole('region', { name: 'Queues of this node' });
      await queues.getByRole('row', { name: /Short uploads \d+ \d+/ }).waitFor();
      await queues.getByRole('row', { name: /Users’ processors/ }).waitFor();
      await queues.getByRole('row', { name: /Webhook deliveries/ }).waitFor();
      await queues.getByText(/\d+ of at most 10,000 streams are running or waiting\./).waitFor();
      await queues.getByRole('progressbar', { name: 'Running streams' }).waitFor();
      const engines = page.getByRole('region', { name: 'Engines and models' });
      await engines.getByRole('row', { name: /Built-in text functions Ready/ }).waitFor();
      await engines.getByRole('row', { name: /ffmpeg (Ready|Not installed)/ }).waitFor();
      await page
        .getByRole('region', { name: 'Nodes', exact: true })
        .getByRole('row', { name: /answers you.*Alive/ })
        .waitFor();
    });
  });
};

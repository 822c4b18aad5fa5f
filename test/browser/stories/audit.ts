import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { call, PING_TEMPLATE, streamEnd, upload } from '../../e2e/client.ts';
import { accessibilityFaults } from '../accessibility.ts';
import type { Site } from '../site.ts';

const auditorOf = async (url: string, label: string): Promise<{ secret: string; subject: string }> => {
  const { body } = await call(url, '/credential-service/api/v1/credentials', {
    method: 'POST',
    body: { kind: 'api-key', role: 'auditor', label },
  });
  return body;
};

/** An auditor reads the log, looks at earlier states, and verifies. */
export const auditStories = (given: () => Site): void => {
  describe('audit', () => {
    test('filters the log, shows an event in full and its event stream as of then, and verifies everything', async () => {
      const { url } = given();
      const auditor = await auditorOf(url, 'an auditor');
      const { body: stream } = await upload(url, { streamConfigurationTemplateId: PING_TEMPLATE, persist: 'true' }, 'audited');
      await streamEnd(url, stream.streamId);
      const page = await given().visit({ key: auditor.secret, at: 'audit' });
      await page.getByLabel('Event stream', { exact: true }).fill(`stream-${stream.streamId}`);
      await page.getByRole('button', { name: 'Filter' }).click();
      await expect.poll(() => page.getByRole('row').count()).toBe(6);
      expect(await accessibilityFaults(page)).toEqual([]);

      await page.getByRole('link', { name: 'UploadCompleted' }).click();
      await page.getByRole('heading', { name: 'UploadCompleted' }).waitFor();
      await expect.poll(() => page.getByRole('region', { name: 'Data of the event', exact: true }).innerText()).toContain('"sha256"');

      await page.getByRole('link', { name: `stream-${stream.streamId}` }).click();
      await page.getByRole('heading', { name: 'State at revision 4' }).waitFor();
      await expect.poll(() => page.getByRole('region', { name: 'State', exact: true }).innerText()).toContain('COMPLETED');
      const slider = page.getByRole('slider');
      await slider.focus();
      await page.keyboard.press('Home');
      await page.getByRole('heading', { name: 'State at revision 0' }).waitFor();
      expect(await page.getByRole('region', { name: 'State', exact: true }).innerText()).not.toContain('COMPLETED');
      await page.keyboard.press('ArrowRight');
      await page.getByRole('heading', { name: 'Changes in revision 1' }).waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);

      await page.getByRole('button', { name: 'Verify' }).click();
      await page
        .getByRole('dialog')
        .getByText(/Verified: 5 events, nothing was changed/)
        .waitFor();
    });

    test('verifies the whole log', async () => {
      const page = await given().visit({ at: 'audit' });
      await page.getByRole('button', { name: 'Verify' }).click();
      await page
        .getByRole('dialog')
        .getByText(/Verified: \d+ events/)
        .waitFor();
    });

    test('shows a broken log as an error, with the place', async () => {
      const page = await given().visit({ at: 'audit' });
      await page.route('**/audit-service/api/v1/verify*', async (route) => {
        const response = await route.fetch();
        const firstBroken = { eventStream: 'stream-1', revision: 3, reason: 'The hash differs.' };
        await route.fulfill({ response, json: { ...(await response.json()), ok: false, firstBroken } });
      });
      await page.getByRole('button', { name: 'Verify' }).click();
      const dialog = page.getByRole('dialog');
      await dialog
        .locator('.note.bad')
        .getByText(/^Broken after \d+ events: The hash differs\.$/)
        .waitFor();
      await dialog.getByText('stream-1, revision 3').waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
    });

    test('shows actors by label with a link, lists kinds to choose from, and adds new events live', async () => {
      const { url } = given();
      const auditor = await auditorOf(url, 'Anna the auditor');
      await call(url, '/audit-service/api/v1/event-streams/seals', { key: auditor.secret });
      const page = await given().visit({ key: auditor.secret, at: 'audit' });
      await page.getByLabel('Kind').selectOption('audit');
      const row = page.getByRole('row', { name: /LogRead/ }).first();
      expect(await row.getByRole('link', { name: 'Anna the auditor' }).getAttribute('href')).toBe(
        `#/audit/event-streams/credentials-${auditor.subject}`,
      );
      await page.getByLabel('Kind').selectOption('stream');
      await page.getByLabel('Type').selectOption('StreamCreated');
      await page.getByLabel('Live').check();
      const { body: stream } = await upload(url, { streamConfigurationTemplateId: PING_TEMPLATE }, 'live');
      await page.getByRole('link', { name: `stream-${stream.streamId.slice(0, 8)}` }).click();
      await page.getByRole('heading', { name: `stream-${stream.streamId}` }).waitFor();
    });

    test('names the cause of a single event by its label, also for an auditor', async () => {
      const { url } = given();
      const auditor = await auditorOf(url, 'Berta the auditor');
      await call(url, '/audit-service/api/v1/event-streams/seals', { key: auditor.secret });
      const page = await given().visit({ key: auditor.secret, at: 'audit?category=audit' });
      await page
        .getByRole('row', { name: /LogRead .*Berta the auditor/ })
        .first()
        .getByRole('link', { name: 'LogRead' })
        .click();
      await page.getByRole('heading', { name: 'LogRead' }).waitFor();
      const by = page.getByRole('link', { name: 'Berta the auditor' });
      expect(await by.getAttribute('href')).toBe(`#/audit/event-streams/credentials-${auditor.subject}`);
    });

    test("offers an auditor the page of an own stream, but not of another user's", async () => {
      const { url } = given();
      const auditor = await auditorOf(url, 'an auditor who uploads');
      const query = { streamConfigurationTemplateId: PING_TEMPLATE };
      const { body: own } = await upload(url, { ...query, name: 'of the auditor' }, 'own', { key: auditor.secret });
      const { body: other } = await upload(url, query, 'not own');
      const page = await given().visit({ key: auditor.secret, at: `audit/event-streams/stream-${other.streamId}` });
      const link = page.getByRole('link', { name: 'Open the stream' });
      await page.getByRole('region', { name: 'State', exact: true }).waitFor();
      expect(await link.count()).toBe(0);
      await page.goto(`${url}/#/audit/event-streams/stream-${own.streamId}`);
      await link.click();
      await page.getByRole('heading', { name: 'of the auditor' }).waitFor();
    });

    test('downloads the log, the seals and the report of a verification', async () => {
      const page = await given().visit({ at: 'audit' });
      const downloaded = async (name: string): Promise<string> => {
        const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name }).click()]);
        return readFileSync(await download.path(), 'utf8');
      };
      const log = await downloaded('Export log');
      expect(JSON.parse(log.split('\n')[0] ?? '')).toMatchObject({
        eventStream: expect.any(String),
        metadata: { hash: expect.any(String) },
      });
      expect(JSON.parse((await downloaded('Export seals')).split('\n')[0] ?? '')).toMatchObject({ algorithm: 'ES256' });
      await page.getByRole('button', { name: 'Verify' }).click();
      await page.getByRole('dialog').getByText('Head of the log').waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
      const report = JSON.parse(await downloaded('Download report'));
      expect(report).toMatchObject({ ok: true, head: expect.any(String), verifiedTimestamp: expect.any(String), server: given().url });
      expect(report).toHaveProperty('seal');
    });

    test('links a stream to its event stream and back', async () => {
      const { body: stream } = await upload(given().url, { streamConfigurationTemplateId: PING_TEMPLATE, name: 'linked' }, 'linked');
      const page = await given().visit({ at: `streams/${stream.streamId}?view=details` });
      await page.getByRole('link', { name: 'Open in the audit log' }).click();
      await page.getByRole('heading', { name: `stream-${stream.streamId}` }).waitFor();
      await page.getByRole('link', { name: 'Open the stream' }).click();
      await page.getByRole('heading', { name: 'linked' }).waitFor();
    });

    test('erases a person after their id was typed twice', async () => {
      const { url } = given();
      const { body: person } = await call(url, '/credential-service/api/v1/credentials', {
        method: 'POST',
        body: { kind: 'api-key', role: 'user', label: 'to be erased' },
      });
      const page = await given().visit({ at: 'audit' });
      await page.getByRole('button', { name: 'Erase a person' }).click();
      const dialog = page.getByRole('dialog');
      const erase = dialog.getByRole('button', { name: 'Erase for good' });
      await dialog.getByLabel('Owner id', { exact: true }).fill(person.subject);
      expect(await erase.isDisabled()).toBe(true);
      await dialog.getByLabel('Repeat the owner id').fill(`${person.subject}0`);
      await dialog.getByText('The two ids differ.').waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
      await dialog.getByLabel('Repeat the owner id').fill(person.subject);
      await erase.click();
      await page.getByRole('heading', { name: 'Erased' }).waitFor();
      expect((await call(url, '/credential-service/api/v1/credentials/self', { key: person.secret })).status).toBe(401);
    });
  });
};

import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { call, PING_TEMPLATE, streamEnd, TEXT_TEMPLATE, TRANSCRIPTION_TEMPLATE, upload } from '../../e2e/client.ts';
import { slowUpload } from '../../e2e/live.ts';
import { silence, speechEngineIsHere } from '../../speech.ts';
import { accessibilityFaults } from '../accessibility.ts';
import type { Site } from '../site.ts';
import { monologue } from '../spoken.ts';

const card = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

const ended = async ({ url }: Site, query: Record<string, string>, body: string | Buffer): Promise<string> => {
  const { body: stream, status, text } = await upload(url, query, body);
  if (status !== 200) throw new Error(text);
  return (await streamEnd(url, stream.streamId, 30_000)).streamId;
};

const exportsOf = async (page: Page): Promise<string[]> => {
  const exports = card(page, 'Export');
  if (!(await exports.isVisible())) await page.getByRole('button', { name: 'Export' }).click();
  const labels = await exports.getByRole('button').allInnerTexts();
  // The format behind its name.
  return labels.map((label) => /\(([A-Z]+)\)$/.exec(label)?.[1] ?? label);
};

/** Actions of an owner: rename a stream, keep it longer, read its text, look at earlier states. */
export const streamPageStories = (given: () => Site): void => {
  describe('the page of a stream', () => {
    test('renames the stream, and says if a name is too long', async () => {
      const site = given();
      const streamId = await ended(site, { streamConfigurationTemplateId: PING_TEMPLATE, name: 'Old name' }, 'x');
      const page = await site.visit({ at: `streams/${streamId}` });
      await page.getByRole('button', { name: 'Rename' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Name').fill('n'.repeat(256));
      await dialog.getByText('At most 255 characters.').waitFor();
      await dialog.getByLabel('Name').fill('<b>New name</b>');
      expect(await accessibilityFaults(page)).toEqual([]);
      await dialog.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('heading', { name: '<b>New name</b>' }).waitFor();
      expect((await call(site.url, `/stream-service/api/v1/streams/${streamId}`)).body.name).toBe('<b>New name</b>');
    });

    test("shows when the data will be deleted, and lets the owner choose another time within the server's limit", async () => {
      const site = given();
      const streamId = await ended(site, { streamConfigurationTemplateId: PING_TEMPLATE, name: 'To keep', persist: 'true' }, 'x');
      const path = `/stream-service/api/v1/streams/${streamId}/retention`;
      const before = (await call(site.url, path)).body;
      const page = await site.visit({ at: `streams/${streamId}` });
      const time = page.locator('dt', { hasText: 'Data kept until' }).locator('..').locator('time').first();
      await expect.poll(() => time.getAttribute('datetime')).toBe(before.until);
      await page.getByRole('button', { name: 'Change' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Keep until').fill('2019-01-01T00:00');
      await dialog.getByText('This time has passed.').waitFor();
      await dialog.getByLabel('Keep until').fill('2999-01-01T00:00');
      await dialog.getByText('This server keeps the data until').waitFor();
      const wanted = new Date(Math.floor(Date.parse(before.latest) / 60_000) * 60_000 - 3_600_000);
      const local = new Date(wanted.getTime() - wanted.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
      await dialog.getByLabel('Keep until').fill(local);
      expect(await accessibilityFaults(page)).toEqual([]);
      await dialog.getByRole('button', { name: 'Save' }).click();
      await expect.poll(async () => (await call(site.url, path)).body.until).toBe(wanted.toISOString());
      await expect.poll(() => time.getAttribute('datetime')).toBe(wanted.toISOString());
    });

    test("does not offer an administrator longer retention or a rerun of another owner's stream", async () => {
      const site = given();
      const body = { kind: 'api-key', role: 'user', label: 'Another owner' };
      const key = (await call(site.url, '/credential-service/api/v1/credentials', { method: 'POST', body })).body.secret;
      const { body: stream } = await upload(site.url, { streamConfigurationTemplateId: PING_TEMPLATE, persist: 'true' }, 'x', { key });
      await streamEnd(site.url, stream.streamId);
      const page = await site.visit({ at: `streams/${stream.streamId}` });
      await page.locator('dt', { hasText: 'Data kept until' }).locator('..').locator('time').first().waitFor();
      await page.getByRole('button', { name: 'Delete data' }).waitFor();
      expect(await page.getByRole('button', { name: 'Change' }).count()).toBe(0);
      expect(await page.getByRole('button', { name: /again/ }).count()).toBe(0);
    });

    test('shows the beginning of a text stream, and all of it on request', async () => {
      const site = given();
      const text = `${'שלום. '.repeat(2_000)}The end <b>of it</b>.`;
      const query = { streamConfigurationTemplateId: TEXT_TEMPLATE, persist: 'true', summary: 'true' };
      const page = await site.visit({ at: `streams/${await ended(site, query, text)}` });
      const shown = card(page, 'Text').locator('.source-text');
      await expect.poll(() => shown.innerText()).toMatch(/^שלום/);
      expect(await shown.innerText()).not.toMatch(/The end|\ufffd/);
      expect(await shown.evaluate((element) => getComputedStyle(element).direction)).toBe('rtl');
      await card(page, 'Text')
        .getByRole('button', { name: /Show all of it/ })
        .click();
      await expect.poll(() => shown.innerText()).toContain('The end <b>of it</b>.');
      expect(await accessibilityFaults(page)).toEqual([]);
    });

    test('does not tell the owner of a kept stream whose data are gone to keep the results', async () => {
      const site = given();
      const streamId = await ended(site, { streamConfigurationTemplateId: PING_TEMPLATE, persist: 'true' }, 'x');
      await call(site.url, `/stream-service/api/v1/streams/${streamId}`, { method: 'DELETE' });
      const page = await site.visit({ at: `streams/${streamId}` });
      await card(page, 'Results').getByText('Their retention time has passed').waitFor();
      expect(await page.getByText('choose how long to keep').count()).toBe(0);
      await page.getByRole('link', { name: 'Details' }).click();
      expect(await card(page, 'Processors').getByRole('img').getAttribute('aria-label')).toContain('result deleted');
    });

    test('still says why a stream failed after its data are deleted, in the list too', async () => {
      const site = given();
      const query = { streamConfigurationTemplateId: TEXT_TEMPLATE, name: 'Failed and deleted', summary: 'true' };
      const streamId = await ended(site, query, Buffer.from([0xff, 0xfe]));
      await call(site.url, `/stream-service/api/v1/streams/${streamId}`, { method: 'DELETE' });
      const page = await site.visit({ at: `streams/${streamId}` });
      await expect
        .poll(() => page.locator('.note.bad').first().innerText())
        .toMatch(/^Failed, data deleted: .*UTF-8.*\. For a recording, choose/);
      expect(await accessibilityFaults(page)).toEqual([]);
      await page.goto(`${site.url}/#/streams`);
      const row = page.getByRole('row').filter({ hasText: 'Failed and deleted' });
      await expect.poll(() => row.innerText()).toMatch(/Failed, data deleted: .*UTF-8[\s\S]*Expired/);
    });

    test('says if the retention cannot be read, and offers no end if the server has no bound', async () => {
      const site = given();
      const streamId = await ended(site, { streamConfigurationTemplateId: PING_TEMPLATE, persist: 'true' }, 'x');
      const page = await site.visit();
      const until = new Date(Date.now() + 3_600_000).toISOString();
      let isAway = true;
      await page.route('**/retention', (route) =>
        isAway ? route.fulfill({ status: 500, body: 'away' }) : route.fulfill({ json: { streamId, until, latest: null } }),
      );
      await page.goto(`${site.url}/#/streams/${streamId}`);
      const fact = page.locator('dt', { hasText: 'Data kept until' }).locator('..');
      await fact.getByRole('alert').waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
      isAway = false;
      await fact.getByRole('button', { name: 'Try again' }).click();
      await fact.locator('time').first().waitFor();
      await fact.getByRole('button', { name: 'Change' }).click();
      const keeping = page.getByRole('dialog').getByLabel('Keep the data');
      expect(await keeping.locator('option').allInnerTexts()).toEqual(['Until I delete them', 'Until a time']);
      await keeping.selectOption('Until a time');
      await page.getByRole('dialog').getByLabel('Keep until').waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
    });

    test('says what made each result, and flags sentiment and extracts of a text that is not English', async () => {
      const site = given();
      const query = { streamConfigurationTemplateId: TEXT_TEMPLATE, persist: 'true', summary: 'true', sentimentAnalysis: 'true' };
      const page = await site.visit({ at: `streams/${await ended(site, query, 'Anna was happy. Ben was sad.')}` });
      await card(page, 'Summary').getByText('Extract: sentences of the text itself').waitFor();
      await card(page, 'Sentiment').getByText('Rated with an English word list').waitFor();
      expect(await page.getByText('This text does not seem to be all in English.').count()).toBe(0);
      const french = 'Anna vous appellera lundi au sujet de cette offre. Nous attendons toujours notre livraison.';
      for (const text of ['שלום עולם. אני שמח מאוד.', french]) {
        await page.goto(`${site.url}/#/streams/${await ended(site, query, text)}`);
        await card(page, 'Sentiment').getByText('This text does not seem to be all in English.').waitFor();
        await card(page, 'Summary').getByText('This text does not seem to be all in English.').waitFor();
      }
      expect(await accessibilityFaults(page)).toEqual([]);
    });

    test('offers only exports with content', async () => {
      const site = given();
      const text = { streamConfigurationTemplateId: TEXT_TEMPLATE, persist: 'true' };
      const page = await site.visit({ at: `streams/${await ended(site, { ...text, summary: 'true' }, 'Anna called. Ben came.')}` });
      await expect.poll(() => exportsOf(page)).toEqual(['DOCX', 'TEXT', 'MD', 'ZIP', 'JSON', 'EVENTS', 'The upload itself']);
      await page.goto(`${site.url}/#/streams/${await ended(site, text, 'Nothing was asked.')}`);
      await expect.poll(() => exportsOf(page)).toEqual(['The upload itself']);
      await page.getByText('There are no results to export.').waitFor();
    });

    test('shows an auditor the stream as of each of its events, on request', async () => {
      const site = given();
      const streamId = await ended(site, { streamConfigurationTemplateId: PING_TEMPLATE, name: 'To audit' }, 'x');
      const page = await site.visit({ at: `streams/${streamId}?view=details` });
      await page.getByRole('button', { name: 'Show earlier states' }).click();
      const slider = page.getByRole('slider', { name: /^Revision/ });
      await slider.waitFor();
      await slider.focus();
      await page.keyboard.press('Home');
      await card(page, 'State at revision 0').waitFor();
      expect(page.url()).toContain('asOf=0');
      await expect.poll(() => card(page, 'State at revision 0').innerText()).toContain('"state": "READY"');
      await page.reload();
      await card(page, 'State at revision 0').waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
    });

    test('shows that a stream is being uploaded', async () => {
      const site = given();
      const id = crypto.randomUUID();
      const open = slowUpload(site.url, { streamConfigurationTemplateId: PING_TEMPLATE, id, name: 'On its way' });
      open.send('first');
      await expect.poll(async () => (await call(site.url, `/stream-service/api/v1/streams/${id}`)).status).toBe(200);
      const page = await site.visit({ at: `streams/${id}` });
      await page
        .getByRole('group', { name: 'Progress' })
        .getByText(/Uploading/)
        .waitFor();
      expect(await page.getByRole('button', { name: 'Export' }).count()).toBe(0);
      open.end();
      await page.getByText('Completed').first().waitFor();
      await page.getByRole('button', { name: 'Export' }).waitFor();
      await page.getByRole('group', { name: 'Progress' }).waitFor({ state: 'detached' });
    });
  });
};

const MINUTES = 12;

/** Stories that need the offline speech engine. */
export const spokenPageStories = async (given: () => Site): Promise<void> => {
  const engineIsHere = await speechEngineIsHere();
  describe.skipIf(!engineIsHere)('the page of a stream with speech', () => {
    test('offers captions for speech, but not for silence', async () => {
      const site = given();
      const query = { streamConfigurationTemplateId: TRANSCRIPTION_TEMPLATE, persist: 'true' };
      const page = await site.visit({ at: `streams/${await ended(site, query, await monologue())}` });
      await expect
        .poll(() => exportsOf(page))
        .toEqual(['DOCX', 'TEXT', 'MD', 'SRT', 'VTT', 'CSV', 'ZIP', 'JSON', 'EVENTS', 'The upload itself']);
      await page.goto(`${site.url}/#/streams/${await ended(site, query, silence(500))}`);
      await expect.poll(() => exportsOf(page)).toEqual(['The upload itself']);
      await page.getByText('There are no results to export.').waitFor();
    });

    test('shows the progress and the remaining time of a long transcription', { timeout: 180_000 }, async () => {
      const site = given();
      const { url } = site;
      const sentence = samplesOf(await monologue());
      const pause = samplesOf(silence(1_500));
      const rounds = Math.ceil((MINUTES * 60_000 * 32) / (sentence.length + pause.length));
      const samples = Buffer.concat(Array.from({ length: rounds }, () => [sentence, pause]).flat());
      const { body } = await upload(url, { streamConfigurationTemplateId: TRANSCRIPTION_TEMPLATE, persist: 'true' }, wavOf(samples));
      const page = await site.visit({ at: `streams/${body.streamId}` });
      const progress = page.getByRole('group', { name: 'Progress' });
      await progress.getByText(/Transcription \(1 of 2\) · 0:\d\d of 1\d:\d\d transcribed/).waitFor({ timeout: 60_000 });
      await progress.getByText(/about .* left in this stage/).waitFor({ timeout: 60_000 });
      expect(Number(await progress.getByRole('progressbar').getAttribute('value'))).toBeGreaterThan(0);
      expect(await accessibilityFaults(page)).toEqual([]);
      await call(url, `/stream-service/api/v1/streams/${body.streamId}/cancel`, { method: 'PUT' });
      await progress.waitFor({ state: 'detached' });
    });
  });
};

const samplesOf = (wav: Buffer): Buffer => wav.subarray(wav.indexOf('data') + 8);

/** The header of silence fits any samples of the same form, once their length is inserted. */
const wavOf = (samples: Buffer): Buffer => {
  const header = silence(0);
  header.writeUInt32LE(36 + samples.length, 4);
  header.writeUInt32LE(samples.length, 40);
  return Buffer.concat([header, samples]);
};

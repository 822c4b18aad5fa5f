import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { MOST_SEARCHED } from '../../../src/http/streams/searchNames.ts';
import { call, PING_TEMPLATE, streamEnd, TEXT_TEMPLATE, TRANSCRIPTION_TEMPLATE, upload } from '../../e2e/client.ts';
import { slowUpload } from '../../e2e/live.ts';
import { silence, speechEngineIsHere } from '../../speech.ts';
import { accessibilityFaults } from '../accessibility.ts';
import type { Site } from '../site.ts';
import { conversation, monologue } from '../spoken.ts';
import { openMoreSettings } from '../uploadForm.ts';

const DIARIZATION_TEMPLATE = '669fee048452492b62cfad39';
const LIVE_TEMPLATE = '670ba9e0efa59fe6aecd56f1';
const TEXT = 'I love this wonderful product. The delivery was terrible and awful. It arrived on Monday.';

const ended = async ({ url }: Site, query: Record<string, string>, body: string | Buffer): Promise<string> => {
  const { body: stream, status, text } = await upload(url, query, body);
  if (status !== 200) throw new Error(text);
  return (await streamEnd(url, stream.streamId, 30_000)).streamId;
};

const subjectsKey = async ({ url }: Site, role = 'user'): Promise<string> => {
  const body = { kind: 'api-key', role, label: 'Somebody' };
  return (await call(url, '/credential-service/api/v1/credentials', { method: 'POST', body })).body.secret;
};

const samplesOf = (wav: Buffer): Buffer => wav.subarray(wav.indexOf('data') + 8);

const card = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

/** The list of streams, and one stream. */
export const streamStories = (given: () => Site): void => {
  describe('the list of streams', () => {
    test('says what to do if it is empty, and shows a new stream without a reload', async () => {
      const site = given();
      const key = await subjectsKey(site);
      const page = await site.visit({ key });
      await page.getByText('No streams yet.').waitFor();
      await page.getByRole('region', { name: 'First steps' }).getByRole('button', { name: 'Try a sample' }).waitFor();
      expect(await page.getByRole('button', { name: 'Run many again' }).count()).toBe(0);
      expect(await accessibilityFaults(page)).toEqual([]);
      const query = { streamConfigurationTemplateId: PING_TEMPLATE, name: 'Seen at once' };
      await upload(site.url, query, 'x', { key });
      await page.getByRole('link', { name: 'Seen at once' }).waitFor();
      await page.getByRole('button', { name: 'Run many again' }).waitFor();
      await page.getByRole('region', { name: 'First steps' }).getByRole('button', { name: 'Hide' }).click();
      await page.getByRole('region', { name: 'First steps' }).waitFor({ state: 'detached' });
    });

    test('tells an administrator in one line what the server lacks, which opens to the commands that help', async () => {
      const page = await given().visit();
      const advice = page.getByRole('list', { name: 'Missing on this server' });
      await page.getByText(/^\d things to set up$/).click();
      await advice.getByText('LLM_URL=').waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
      await advice.getByRole('button', { name: /^Hide: Summaries/ }).click();
      await advice.getByText('LLM_URL=').waitFor({ state: 'detached' });
      for (const hide of (await advice.getByRole('button', { name: /^Hide: (?!People sign in)/ }).all()).toReversed()) await hide.click();
      await page.reload();
      await page.getByText('People sign in with keys.').click();
      await advice.getByText('OIDC_ISSUER').waitFor();
      expect(await advice.getByRole('listitem').count()).toBe(1);
      expect(await accessibilityFaults(page)).toEqual([]);
    });

    test("shows upload, search and the sample on the first screen of an administrator's phone, and no step as done that is not", async () => {
      const site = given();
      const key = await subjectsKey(site, 'admin');
      const page = await site.visit({ key, context: { viewport: { width: 390, height: 844 } } });
      const steps = page.getByRole('region', { name: 'First steps' });
      await page.getByText(/^\d things to set up$/).waitFor();
      for (const wanted of [
        page.getByRole('main').getByRole('link', { name: 'Upload', exact: true }),
        page.getByRole('searchbox', { name: 'Search' }),
        steps.getByRole('button', { name: 'Try a sample' }),
      ]) {
        await wanted.waitFor();
        const box = await wanted.boundingBox();
        expect((box?.y ?? 844) + (box?.height ?? 0), String(wanted)).toBeLessThanOrEqual(844);
      }
      const keyStep = steps.getByRole('listitem').filter({ hasText: 'An API key for your programs.' });
      expect(await keyStep.innerText()).not.toContain('Done');
      const body = { kind: 'api-key', role: 'user', label: 'For a program' };
      await call(site.url, '/credential-service/api/v1/credentials', { method: 'POST', body, key });
      await page.reload();
      await expect.poll(() => keyStep.innerText()).toContain('Done');
    });

    test("shows callers' names, texts, templates and labels literally, and runs none of them", async () => {
      const site = given();
      const key = await subjectsKey(site);
      const written = '<img src=x onerror="document.title=1"><script>document.title=1</script>{{7*7}}';
      const query = { streamConfigurationTemplateId: TEXT_TEMPLATE, summary: 'true', persist: 'true', name: written };
      const { body: stream } = await upload(site.url, query, `${written}. ${TEXT}`, { key });
      await streamEnd(site.url, stream.streamId, 30_000);
      const draft = { name: written, processors: [{ id: 'echo', processorDeclarationId: 'echo' }] };
      await call(site.url, '/stream-configuration-service/api/v1/stream-configuration-templates', { method: 'PUT', body: draft, key });
      const label = { kind: 'api-key', role: 'user', label: written };
      await call(site.url, '/credential-service/api/v1/credentials', { method: 'POST', body: label });
      for (const [at, whose] of [
        ['streams', key],
        [`streams/${stream.streamId}`, key],
        ['templates', key],
        ['credentials', undefined],
      ] as const) {
        const page = await site.visit({ at, ...(whose && { key: whose }) });
        await page.getByText(written).filter({ visible: true }).first().waitFor();
        expect(await page.title(), at).not.toBe('1');
        expect(await page.locator('img[src=x]').count(), at).toBe(0);
      }
    });

    test('updates states as they change, and keeps filter and page in the address', async () => {
      const site = given();
      const key = await subjectsKey(site);
      for (let n = 0; n < 21; n++) {
        await upload(site.url, { streamConfigurationTemplateId: PING_TEMPLATE, name: `Number ${n}` }, 'x', { key });
      }
      const page = await site.visit({ key });
      await page.getByRole('link', { name: 'Number 20' }).waitFor();
      await page.getByRole('button', { name: 'Older' }).click();
      await page.getByRole('link', { name: 'Number 0', exact: true }).waitFor();
      await page.getByText('Filters', { exact: true }).click();
      await page.getByLabel('Name').fill('Number 7');
      await page.keyboard.press('Enter');
      await expect.poll(() => page.getByRole('rowheader').allInnerTexts()).toEqual(['Number 7']);
      expect(page.url()).toContain('nameContains=Number+7');
      await page.getByText(`Only the newest ${MOST_SEARCHED.toLocaleString('en')} streams`).waitFor();
      await page.getByLabel('State').selectOption('FAILED');
      await page.getByText('No stream matches.').waitFor();
      await page.getByRole('link', { name: 'Show all streams' }).click();
      await page.getByRole('link', { name: 'Number 20' }).waitFor();
    });
  });

  describe('the page of a text stream', () => {
    test('shows summary, answers, sentiment, chain, components, usage and every event', async () => {
      const site = given();
      const query = { streamConfigurationTemplateId: TEXT_TEMPLATE, name: 'A text', persist: 'true', summary: 'true' };
      const streamId = await ended(site, { ...query, sentimentAnalysis: 'true', ask0: 'When did it arrive?' }, TEXT);
      const page = await site.visit({ at: `streams/${streamId}` });
      await card(page, 'Summary').waitFor();
      await expect.poll(() => card(page, 'Answers').innerText()).toContain('Monday');
      await expect.poll(() => card(page, 'Sentiment').innerText()).toMatch(/1 positive[\s\S]*1 neutral[\s\S]*1 negative/);
      await card(page, 'Sentiment').getByRole('group', { name: 'arrow keys' }).focus();
      await page.keyboard.press('ArrowRight');
      await expect.poll(() => card(page, 'Sentiment').innerText()).toContain('I love this wonderful product.');
      await page.getByRole('link', { name: 'Details' }).click();
      expect(await card(page, 'Processors').getByRole('img').getAttribute('aria-label')).toBe(
        'Data source: string, uploaded; llm reads the data source: completed; sink of llm: result, kept for export',
      );
      await expect.poll(() => card(page, 'Components').innerText()).toMatch(/Gateway\s+Closed[\s\S]*llm\s+Completed/);
      await card(page, 'Usage').getByLabel('Currency').selectOption('USD');
      await card(page, 'Usage').getByText(/ USD$/).waitFor();
      await card(page, 'Events').getByRole('button', { name: 'Upload complete' }).hover();
      await expect.poll(() => card(page, 'Events').innerText()).toMatch(/UploadCompleted[\s\S]*"sha256"/);
      await card(page, 'Events').getByRole('button', { name: 'Stream created' }).focus();
      await expect.poll(() => card(page, 'Events').innerText()).toContain('"creatorId"');
      expect(await accessibilityFaults(page)).toEqual([]);
    });

    test('exports its results as files', async () => {
      const site = given();
      const streamId = await ended(
        site,
        { streamConfigurationTemplateId: TEXT_TEMPLATE, name: 'To export', persist: 'true', summary: 'true' },
        TEXT,
      );
      const page = await site.visit({ at: `streams/${streamId}` });
      const downloading = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Export' }).click();
      await card(page, 'Export').getByRole('button', { name: 'JSON' }).click();
      const download = await downloading;
      expect(download.suggestedFilename()).toBe('To export.json');
      await card(page, 'Export').waitFor({ state: 'hidden' });
      await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Export');
      const content: Buffer[] = [];
      for await (const piece of await download.createReadStream()) content.push(piece);
      expect(JSON.parse(Buffer.concat(content).toString()).summary.content.length).toBeGreaterThan(0);
    });

    test('passes axe in dark mode and on a phone, where nothing is cut off', async () => {
      const site = given();
      const streamId = await ended(site, { streamConfigurationTemplateId: TEXT_TEMPLATE, persist: 'true', summary: 'true' }, TEXT);
      const page = await site.visit({ at: `streams/${streamId}`, context: { viewport: { width: 390, height: 800 }, colorScheme: 'dark' } });
      const width = () => page.evaluate(() => document.documentElement.scrollWidth);
      await card(page, 'Summary').waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
      expect(await width()).toBeLessThanOrEqual(390);
      await page.getByRole('link', { name: 'Details' }).click();
      await card(page, 'Events').getByRole('button').first().waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
      expect(await width()).toBeLessThanOrEqual(390);
    });
  });

  describe('a running stream', () => {
    test('is cancelled after confirmation, and can then be deleted', async () => {
      const site = given();
      const id = crypto.randomUUID();
      const open = slowUpload(site.url, { streamConfigurationTemplateId: PING_TEMPLATE, id, name: 'Going on' });
      open.answered.catch(() => undefined);
      open.send('first');
      await expect.poll(async () => (await call(site.url, `/stream-service/api/v1/streams/${id}`)).status).toBe(200);
      const page = await site.visit({ at: `streams/${id}` });
      await page.getByRole('button', { name: 'Cancel stream' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Back' }).click();
      await page.getByRole('button', { name: 'Cancel stream' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel stream' }).click();
      await page.getByText('Canceled by user').first().waitFor();
      open.breakOff();
      await page.getByRole('button', { name: 'Delete data' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete data' }).click();
      await page.getByText('The data have been deleted.', { exact: true }).waitFor();
      expect((await call(site.url, `/stream-service/api/v1/streams/${id}`)).body.state).toBe('EXPIRED');
    });

    test('says so if the id is unknown', async () => {
      const page = await given().visit({ at: `streams/${crypto.randomUUID()}` });
      const alert = page.getByRole('alert');
      await alert.waitFor();
      await expect.poll(() => alert.innerText()).toMatch(/No such stream[\s\S]*belong to another owner[\s\S]*Reference/);
    });
  });
};

/** Stories that need the offline speech engine. */
export const speechStories = async (given: () => Site): Promise<void> => {
  const engineIsHere = await speechEngineIsHere();
  describe.skipIf(!engineIsHere)('the page of a speech stream', () => {
    test('sends a recording with the transcription options of the template', async () => {
      const page = await given().visit({ at: 'upload' });
      await page
        .getByLabel('Choose files', { exact: true })
        .setInputFiles({ name: 'hello.wav', mimeType: 'audio/wav', buffer: silence(500) });
      await openMoreSettings(page);
      await page.getByRole('spinbutton', { name: 'Silence threshold' }).fill('0.25');
      await page.getByRole('button', { name: 'Upload', exact: true }).click();
      await page.waitForURL(/streams/);
      const { body } = await call(given().url, `/stream-service/api/v1/streams/${page.url().split('/').at(-1)}`);
      expect(body.configuration.processors[0].properties.noSpeechThreshold).toBe(0.25);
    });

    test('plays the recording from the clicked word, also with the keyboard', async () => {
      const site = given();
      const streamId = await ended(
        site,
        { streamConfigurationTemplateId: TRANSCRIPTION_TEMPLATE, name: 'Spoken', persist: 'true' },
        await monologue(),
      );
      const page = await site.visit({ at: `streams/${streamId}` });
      await page.getByLabel('The recording').waitFor();
      const transcript = card(page, 'Transcript');
      await transcript.getByText('this', { exact: false }).first().click();
      const time = () => page.evaluate(() => document.querySelector('audio')?.currentTime ?? 0);
      await expect.poll(time).toBeGreaterThan(0.5);
      await transcript.getByRole('group').focus();
      // From the clicked word back to the first one.
      for (const key of ['ArrowLeft', 'ArrowLeft', 'ArrowLeft', 'Enter']) await page.keyboard.press(key);
      await expect.poll(time).toBeLessThan(0.6);
      expect(await transcript.locator('.word').first().getAttribute('title')).toMatch(/^0:00/);
      expect(await accessibilityFaults(page)).toEqual([]);
    });

    test('shows text while it is being spoken', async () => {
      const site = given();
      const id = crypto.randomUUID();
      const bare = { encoding: 'linear16', sampleRate: '16000', channels: '1', utteranceEnd: '500' };
      const open = slowUpload(site.url, { streamConfigurationTemplateId: LIVE_TEMPLATE, id, name: 'Being spoken', ...bare });
      open.send(samplesOf(await monologue()));
      open.send(samplesOf(silence(3_000)));
      await expect.poll(async () => (await call(site.url, `/stream-service/api/v1/streams/${id}`)).status).toBe(200);
      const page = await site.visit({ at: `streams/${id}` });
      await card(page, 'Transcript').getByText('Live').waitFor();
      await expect.poll(() => card(page, 'Transcript').innerText()).toMatch(/hello,?\s+world/i);
      open.end();
      await page.getByText('Completed').waitFor();
      await card(page, 'Transcript').getByText('Live').waitFor({ state: 'detached' });
    });

    test('comes from the sample with one click, with two speakers', async () => {
      const site = given();
      const page = await site.visit({ key: await subjectsKey(site) });
      await page.getByRole('button', { name: 'Try a sample' }).click();
      await page.getByRole('heading', { name: 'Sample call' }).waitFor();
      await card(page, 'Transcript').getByText('Speaker B').first().waitFor();
      await expect.poll(() => card(page, 'Transcript').innerText()).toMatch(/good morning/i);
      await page.getByLabel('The recording').waitFor();
    });

    test('names the speakers', async () => {
      const site = given();
      const query = { streamConfigurationTemplateId: DIARIZATION_TEMPLATE, name: 'Two people', splitStereo: 'true' };
      const streamId = await ended(site, { ...query, persist: 'true' }, await conversation());
      const page = await site.visit({ at: `streams/${streamId}` });
      await card(page, 'Transcript').getByText('Speaker B').first().waitFor();
      await expect.poll(() => card(page, 'Transcript').innerText()).toMatch(/Speaker A\s+hello,? world[\s\S]*Speaker B\s+this is a test/i);
    });
  });
};

import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { call, streamEnd, upload } from '../../e2e/client.ts';
import { speechEngineIsHere } from '../../speech.ts';
import { accessibilityFaults } from '../accessibility.ts';
import type { Site } from '../site.ts';
import { conversation } from '../spoken.ts';

const DIARIZATION_TEMPLATE = '669fee048452492b62cfad39';

const spoken = async ({ url }: Site, more: Readonly<Record<string, string>> = {}): Promise<string> => {
  const query = { streamConfigurationTemplateId: DIARIZATION_TEMPLATE, name: 'Two people', splitStereo: 'true', persist: 'true' };
  const { body } = await upload(url, { ...query, ...more }, await conversation());
  return (await streamEnd(url, body.streamId, 30_000)).streamId;
};

const transcriptOf = async ({ url }: Site, streamId: string) => call(url, `/stream-service/api/v1/streams/${streamId}/transcript`);

const edit = async (site: Site, page: Page, streamId: string): Promise<void> => {
  await page.goto(`${site.url}/#/streams/${streamId}`);
  await page.getByRole('button', { name: 'Edit' }).click();
};

/** Correcting a transcript, naming its speakers, and what happens if two people do it at once. */
export const editingStories = async (given: () => Site): Promise<void> => {
  const engineIsHere = await speechEngineIsHere();
  describe.skipIf(!engineIsHere)('a transcript that is corrected', () => {
    test('is written word by word with the keyboard alone, and keeps what it said before', async () => {
      const site = given();
      const streamId = await spoken(site);
      const before = (await transcriptOf(site, streamId)).body.utterances[0].text;
      const page = await site.visit();
      await edit(site, page, streamId);
      const transcript = page.getByRole('group', { name: /^Transcript/ });
      await transcript.focus();
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('Enter');
      const field = page.getByRole('textbox', { name: /^Text of the utterance/ });
      await field.waitFor();
      expect(
        await field.evaluate((element: HTMLTextAreaElement) => element.value.slice(element.selectionStart, element.selectionEnd)),
      ).toMatch(/^hello/i);
      // The comma after the word stays.
      await page.keyboard.type('Goodbye');
      expect(await accessibilityFaults(page)).toEqual([]);
      await page.keyboard.press('Enter');
      await field.waitFor({ state: 'detached' });
      await page.getByRole('status').getByText('Saved', { exact: true }).waitFor();
      await transcript.getByText(/Goodbye/).waitFor();
      await expect.poll(() => page.locator('.transcript:focus .word.cursor').innerText()).toMatch(/^Goodbye/);
      await page.getByRole('button', { name: 'History' }).click();
      await page
        .getByRole('dialog')
        .getByText(/You[\s\S]*/)
        .first()
        .waitFor();
      expect(await page.getByRole('dialog').innerText()).toMatch(/wrote “Goodbye,? world/i);
      expect(await page.getByRole('dialog').locator('del').innerText()).toBe('Hello');
      expect(await page.getByRole('dialog').locator('ins').innerText()).toBe('Goodbye');
      expect(await page.getByRole('dialog').getByRole('listitem').nth(1).innerText()).toMatch(/^0:00 Speaker A/);
      expect(await accessibilityFaults(page)).toEqual([]);
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByText('The last edit is undone').waitFor();
      const { body } = await transcriptOf(site, streamId);
      expect([body.revision, body.utterances[0].text]).toEqual([2, before]);
    });

    test('shows an auditor each correction word by word, with names and speakers as people see them', async () => {
      const site = given();
      const streamId = await spoken(site);
      const { body, headers } = await transcriptOf(site, streamId);
      const [first] = body.utterances;
      await call(site.url, `/stream-service/api/v1/streams/${streamId}/transcript`, {
        method: 'PATCH',
        body: {
          edits: [
            { op: 'text', utterance: first.id, text: 'Goodbye, world.' },
            { op: 'name', speaker: first.speaker, name: 'Anna' },
          ],
        },
        headers: { 'If-Match': headers.get('etag') ?? '' },
      });
      const page = await site.visit({ at: `audit?eventStream=transcript-${streamId}` });
      await page.getByRole('link', { name: 'TranscriptEdited' }).click();
      const changes = page.getByRole('list', { name: 'Changes of the transcript' });
      await changes.waitFor();
      expect(await changes.locator('del').allInnerTexts()).toEqual(expect.arrayContaining(['Hello', 'Speaker A']));
      expect(await changes.locator('ins').allInnerTexts()).toEqual(expect.arrayContaining(['Goodbye', 'Anna']));
      expect(await accessibilityFaults(page)).toEqual([]);
    });

    test('names a speaker everywhere, also in the export, without “Edit” too', async () => {
      const site = given();
      const streamId = await spoken(site);
      const page = await site.visit({ at: `streams/${streamId}` });
      await page.getByText('Choose a speaker to name them.').waitFor();
      await page.getByRole('button', { name: 'Speaker A' }).first().click();
      await expect.poll(() => page.getByLabel('Name of Speaker A').evaluate((field) => field === document.activeElement)).toBe(true);
      expect(await accessibilityFaults(page)).toEqual([]);
      await page.keyboard.type('Anne');
      await page.keyboard.press('Enter');
      await page.getByRole('status').getByText('Saved', { exact: true }).waitFor();
      await expect.poll(() => page.getByRole('button', { name: 'Anne', exact: true }).count()).toBeGreaterThan(1);
      expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Anne');
      expect(await page.getByRole('button', { name: 'Speaker A' }).count()).toBe(0);
      await page.getByRole('button', { name: 'Anne', exact: true }).first().click();
      await expect.poll(() => page.getByLabel('Name of Anne').evaluate((field) => field === document.activeElement)).toBe(true);
      await page.keyboard.type('Anna');
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Anna', exact: true }).first().waitFor();
      const refusal = page.getByRole('alert').filter({ hasText: 'has this name already' });
      for (const closes of ['Close', 'Edit']) {
        await page.getByRole('button', { name: 'Speaker B' }).first().click();
        await page.keyboard.type('Anna');
        await page.keyboard.press('Enter');
        await refusal.waitFor();
        expect(await accessibilityFaults(page)).toEqual([]);
        await page.getByRole('button', { name: closes, exact: true }).click();
        await refusal.waitFor({ state: 'detached' });
      }
      await page.getByRole('button', { name: 'Speaker B' }).first().click();
      await page.getByRole('button', { name: 'Join with Anna' }).waitFor();
      await page.getByRole('button', { name: 'Somebody else' }).first().click();
      await page.getByRole('button', { name: 'Speaker C' }).waitFor();
      const { text } = await call(site.url, `/export-service/api/v1/export/TEXT?streams=${streamId}`);
      expect(text).toContain('Anna');
    });

    test('has a box for names that a soft keyboard does not move, and that forgets what was not saved', async () => {
      const site = given();
      const streamId = await spoken(site);
      const page = await site.visit({ at: `streams/${streamId}`, context: { viewport: { width: 390, height: 844 } } });
      const label = page.getByRole('button', { name: 'Speaker B' }).first();
      await label.scrollIntoViewIfNeeded();
      await label.click();
      const field = page.getByLabel('Name of Speaker B');
      await field.waitFor();
      const before = await field.boundingBox();
      await page.keyboard.type('Ben');
      for (const height of [420, 844]) {
        await page.setViewportSize({ width: 390, height });
        expect([await field.boundingBox(), await field.inputValue()], String(height)).toEqual([before, 'Ben']);
      }
      await page.keyboard.press('Escape');
      await label.click();
      await page.keyboard.type('Ben');
      await expect.poll(() => field.inputValue()).toBe('Ben');
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Ben', exact: true }).first().waitFor();
    });

    test('says when the summary is older than the corrections, and how to make a new one', async () => {
      const site = given();
      const streamId = await spoken(site, { summary: 'true' });
      const page = await site.visit({ at: `streams/${streamId}` });
      await page.getByRole('region', { name: 'Summary' }).waitFor();
      const note = page.getByText('These results are older than the corrections.');
      expect(await note.count()).toBe(0);
      await page.getByRole('button', { name: 'Speaker A' }).first().click();
      await page.keyboard.type('Anna');
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Anna', exact: true }).first().waitFor();
      expect(await note.count()).toBe(0);
      await page.getByRole('button', { name: 'Edit' }).click();
      await page.locator('.word').first().click();
      await page.keyboard.type('Goodbye');
      await page.keyboard.press('Enter');
      await note.waitFor();
      await page.getByText('begin with “Text intelligence”').waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
      await page.getByRole('button', { name: 'Run again' }).click();
      const warning = page.getByText('The new transcript begins without the corrections of this one.');
      await warning.waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
      await page.getByRole('dialog').getByLabel('Begin with').selectOption('llm');
      await warning.waitFor({ state: 'detached' });
      await page.getByRole('dialog').getByRole('button', { name: 'Run again' }).click();
      await page.getByText('Attempt 2 started').waitFor();
      await note.waitFor({ state: 'detached' });
      await page.getByText('Completed').first().waitFor();
      await page.getByRole('button', { name: 'Anna', exact: true }).first().waitFor();
      await page.getByRole('region', { name: 'Summary' }).waitFor();
      expect(await note.count()).toBe(0);
      await page.getByRole('button', { name: 'Undo' }).click();
      await note.waitFor();
      await page.getByRole('link', { name: 'Details' }).click();
      await page.getByRole('region', { name: 'Attempt 1' }).waitFor();
      expect(await page.getByRole('link', { name: 'Show its transcript' }).count()).toBe(0);
    });

    test('stays to be read and exported when the stream runs again without its corrections', async () => {
      const site = given();
      const streamId = await spoken(site);
      const { body, headers } = await transcriptOf(site, streamId);
      await call(site.url, `/stream-service/api/v1/streams/${streamId}/transcript`, {
        method: 'PATCH',
        body: { edits: [{ op: 'text', utterance: body.utterances[0].id, text: 'Goodbye, world.' }] },
        headers: { 'If-Match': headers.get('etag') ?? '' },
      });
      await call(site.url, `/stream-service/api/v1/streams/${streamId}/rerun`, { method: 'POST', body: { from: null } });
      await streamEnd(site.url, streamId, 30_000);
      const page = await site.visit({ at: `streams/${streamId}?view=details` });
      await page.getByRole('region', { name: 'Attempt 1' }).getByRole('link', { name: 'Show its transcript' }).click();
      await page.getByText('Transcript of attempt 1 of 2.').waitFor();
      const transcript = page.getByRole('region', { name: 'Transcript' });
      await transcript.getByText('Goodbye').waitFor();
      expect(await page.getByRole('button', { name: /^(Edit|Share)$/ }).count()).toBe(0);
      expect(await accessibilityFaults(page)).toEqual([]);
      await page.getByRole('button', { name: 'Export' }).click();
      const downloading = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Plain text (TEXT)' }).click();
      expect(await readFile(await (await downloading).path(), 'utf8')).toContain('Goodbye');
      await page.getByRole('link', { name: 'Show the newest' }).click();
      await page.getByRole('button', { name: 'Edit' }).waitFor();
      await transcript.getByText('Hello').waitFor();
      await call(site.url, `/stream-service/api/v1/streams/${streamId}`, { method: 'DELETE' });
      const later = await site.visit({ at: `streams/${streamId}?attempt=1` });
      await later.getByText('The data have been deleted.').waitFor();
      await later.getByRole('link', { name: 'Details' }).click();
      await later.getByRole('region', { name: 'Attempt 1' }).waitFor();
      expect(await later.getByRole('link', { name: 'Show its transcript' }).count()).toBe(0);
    });

    test('is shared by a link that a stranger can read, search and play, until it is revoked', async () => {
      const site = given();
      const streamId = await spoken(site);
      const page = await site.visit({ at: `streams/${streamId}` });
      await page.getByRole('button', { name: 'Share' }).click();
      const dialog = page.getByRole('dialog');
      expect(await accessibilityFaults(page)).toEqual([]);
      await dialog.getByLabel('Share the recording too').check();
      await dialog.getByRole('button', { name: 'Make a link' }).click();
      await dialog.getByRole('button', { name: 'Copy link' }).click();
      await dialog.getByText('The browser does not allow copying here.').waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
      const url = await dialog.locator('code').first().innerText();
      const stranger = await site.visit({ key: null, context: { viewport: { width: 390, height: 844 } } });
      await stranger.goto(`${site.url}${new URL(url).pathname}`);
      await stranger.getByRole('heading', { name: 'Two people' }).waitFor();
      await stranger.getByLabel('The recording').waitFor();
      for (const width of [1440, 768, 390])
        for (const colorScheme of ['light', 'dark'] as const) {
          await stranger.setViewportSize({ width, height: 844 });
          await stranger.emulateMedia({ colorScheme });
          expect(await accessibilityFaults(stranger), `${width} ${colorScheme}`).toEqual([]);
          expect(await stranger.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
        }
      await stranger.getByRole('searchbox', { name: 'Search the transcript' }).fill('test');
      await stranger.getByText('1 of 1').waitFor();
      expect(await stranger.locator('mark.current').innerText()).toBe('test');
      await stranger.locator('.utterance', { hasText: 'test' }).click();
      await expect.poll(() => stranger.evaluate(() => document.querySelector('audio')?.currentTime ?? 0)).toBeGreaterThan(0);
      await dialog.getByRole('list', { name: 'Links' }).getByRole('button', { name: 'Revoke' }).click();
      await page.getByRole('dialog', { name: 'Revoke?' }).getByRole('button', { name: 'Revoke' }).click();
      await page.getByRole('list', { name: 'Links' }).waitFor({ state: 'detached' });
      expect(await page.getByText('Copy the link now.').count()).toBe(0);
      await stranger.reload();
      await stranger.getByRole('heading', { name: 'There is nothing here' }).waitFor();
      expect(await accessibilityFaults(stranger)).toEqual([]);
    });

    test('is split, merged, and changed by find and replace', async () => {
      const site = given();
      const streamId = await spoken(site);
      const count = (await transcriptOf(site, streamId)).body.utterances.length;
      const page = await site.visit();
      await edit(site, page, streamId);
      await page.locator('.word', { hasText: 'world' }).first().click();
      await page.getByRole('button', { name: 'Split here' }).click();
      await expect.poll(async () => (await transcriptOf(site, streamId)).body.utterances.length).toBe(count + 1);
      await page.locator('.word', { hasText: /hello/i }).first().click();
      await page.getByRole('button', { name: 'Merge with the next' }).click();
      await expect.poll(async () => (await transcriptOf(site, streamId)).body.utterances.length).toBe(count);
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Find and replace' }).click();
      await expect.poll(() => page.getByLabel('Find', { exact: true }).evaluate((field) => field === document.activeElement)).toBe(true);
      await page.keyboard.type('test');
      await page.getByText('Matches 1 time', { exact: true }).waitFor();
      await page.getByLabel('Replace with').fill('trial');
      await page.getByRole('button', { name: 'Replace all' }).click();
      await page.getByText('Replaced 1 time', { exact: true }).waitFor();
      await page.locator('.word', { hasText: 'trial' }).waitFor();
      await page.locator('.word').last().click();
      await page.getByRole('textbox', { name: /^Text of the utterance/ }).fill('我在北京。');
      await page.keyboard.press('Enter');
      await page.getByLabel('Find', { exact: true }).fill('北京');
      await page.getByText('Matches 1 time', { exact: true }).waitFor();
      await page.getByLabel('Replace with').fill('上海');
      await page.getByRole('button', { name: 'Replace all' }).click();
      await page.getByText('我在上海').waitFor();
      await page.locator('.word').last().click();
      await page.getByRole('button', { name: 'Split here' }).waitFor();
      expect(await page.getByRole('button', { name: 'Merge with the next' }).count()).toBe(0);
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Find and replace' }).click();
      await page.setViewportSize({ width: 390, height: 420 });
      await page.locator('.word').last().scrollIntoViewIfNeeded();
      const bar = page.getByRole('group', { name: 'Editing' });
      await expect.poll(() => bar.evaluate((element) => element.getBoundingClientRect().top)).toBeLessThan(80);
      expect((await bar.boundingBox())?.height).toBeLessThan(50);
      await bar.getByRole('button', { name: 'Done' }).click();
      await bar.waitFor({ state: 'detached' });
    });

    test('is found in the library, which leads to all places of a word and marks the line of a moment', async () => {
      const site = given();
      const streamId = await spoken(site);
      const { body, headers } = await transcriptOf(site, streamId);
      const edits = body.utterances.map(({ id }: { id: string }) => ({ op: 'text', utterance: id, text: 'Some bananas.' }));
      const tag = headers.get('etag') ?? '';
      await call(site.url, `/stream-service/api/v1/streams/${streamId}/transcript`, {
        method: 'PATCH',
        body: { edits },
        headers: { 'If-Match': tag },
      });
      await expect
        .poll(async () => (await call(site.url, '/export-service/api/v1/search?q=bananas')).body.content[0]?.hits)
        .toBe(edits.length);
      const page = await site.visit({ at: 'streams?q=bananas' });
      await page.getByRole('link', { name: 'Show all in the transcript' }).click();
      await page.getByText(`1 of ${edits.length}`).waitFor();
      expect(await page.locator('.hit.current').innerText()).toBe('bananas.');
      await page.getByRole('button', { name: 'Next', exact: true }).click();
      await page.getByRole('button', { name: 'Edit' }).click();
      await page.locator('.word').last().click();
      await page.getByRole('textbox', { name: /^Text of the utterance/ }).fill('Some apples.');
      await page.keyboard.press('Enter');
      await page.getByText(`2 of ${edits.length - 1}`).waitFor();
      await page.goBack();
      await page.locator('.passage').first().click();
      await page.locator('.utterance.opened').getByText('bananas').waitFor();
    });

    test('saves a line that is left for another one, or by Done', async () => {
      const site = given();
      const streamId = await spoken(site);
      const page = await site.visit();
      await edit(site, page, streamId);
      const textOf = async (n: number): Promise<string> => (await transcriptOf(site, streamId)).body.utterances.at(n).text.trim();
      const last = await textOf(-1);
      const field = page.getByRole('textbox', { name: /^Text of the utterance/ });
      await page.locator('.word').first().click();
      await field.fill('Mine.');
      await page.locator('.word').last().click();
      await expect.poll(() => textOf(0)).toBe('Mine.');
      await expect.poll(async () => (await field.inputValue()).trim()).toBe(last);
      // A change elsewhere takes it along.
      await field.fill('Theirs.');
      await page.getByRole('button', { name: 'Speaker A', exact: true }).first().click();
      await page.getByLabel('Name of Speaker A').fill('Anna');
      await page.keyboard.press('Enter');
      await expect.poll(() => textOf(-1)).toBe('Theirs.');
      await page.getByRole('button', { name: 'Anna', exact: true }).first().waitFor();
      await page.locator('.word').last().click();
      await field.fill('Yours.');
      await page.getByRole('button', { name: 'Done', exact: true }).first().click();
      await expect.poll(() => textOf(-1)).toBe('Yours.');
      await field.waitFor({ state: 'detached' });
    });

    test('gives all lines of a turn to another speaker, where only the first has a label', async () => {
      const site = given();
      const streamId = await spoken(site);
      const read = await transcriptOf(site, streamId);
      const speakersOf = async (): Promise<string[]> =>
        (await transcriptOf(site, streamId)).body.utterances.map(({ speaker }: { speaker: string }) => speaker);
      const [one, other] = [...new Set(await speakersOf())];
      await call(site.url, `/stream-service/api/v1/streams/${streamId}/transcript`, {
        method: 'PATCH',
        body: { edits: [{ op: 'join', speaker: other, into: one }] },
        headers: { 'If-Match': read.headers.get('etag') ?? '' },
      });
      const page = await site.visit();
      await page.goto(`${site.url}/#/streams/${streamId}`);
      await page.locator('.transcript .speaker').first().click();
      await page.getByText(/^These \d+ lines were said by$/).waitFor();
      await page.getByRole('button', { name: 'Somebody else' }).click();
      await expect.poll(async () => new Set(await speakersOf())).toEqual(new Set([other]));
    });

    test('keeps an unsaved correction over a reload, and offers both versions after a conflict', async () => {
      const site = given();
      const streamId = await spoken(site);
      const page = await site.visit();
      await edit(site, page, streamId);
      await page.locator('.word').first().click();
      const field = page.getByRole('textbox', { name: /^Text of the utterance/ });
      await field.fill('Mine.');
      await page.reload();
      await expect.poll(() => field.inputValue()).toBe('Mine.');
      const read = await transcriptOf(site, streamId);
      const theirs = { edits: [{ op: 'text', utterance: read.body.utterances[0].id, text: 'Theirs.' }] };
      const tag = read.headers.get('etag') ?? '';
      await call(site.url, `/stream-service/api/v1/streams/${streamId}/transcript`, {
        method: 'PATCH',
        body: theirs,
        headers: { 'If-Match': tag },
      });
      await field.press('Enter');
      await page.getByText('Somebody else changed this transcript first.').waitFor();
      await page.getByText('You wrote “Mine.”; it is now “Theirs.”.').waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
      await page.getByRole('button', { name: 'Save mine as well' }).click();
      await expect.poll(async () => (await transcriptOf(site, streamId)).body.utterances[0].text.trim()).toBe('Mine.');
    });
  });
};

import type { ServerResponse } from 'node:http';
import type { Page } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { call, PING_TEMPLATE, streamEnd, TEXT_TEMPLATE, TRANSCRIPTION_TEMPLATE, upload } from '../../e2e/client.ts';
import { heardWords, type StubEngine } from '../../fakes/engineServer.ts';
import { Receiver } from '../../receiver.ts';
import { silence } from '../../speech.ts';
import { accessibilityFaults } from '../accessibility.ts';
import type { Site } from '../site.ts';

const HEARD = {
  ...{ language: 'english', duration: 1, text: 'Hello there.' },
  segments: [{ start: 0, end: 0.9, text: ' Hello there.' }],
  words: heardWords(['Hello', 0, 0.4], ['there', 0.5, 0.9]),
};
/** `MAX_CONCURRENT_STREAMS` of the server. */
export const LIMIT = 4;
const AWAY = { status: 503, body: {} };

const timeline = (page: Page) => page.getByRole('region', { name: 'Timeline', exact: true });
const bar = (page: Page, attempt: number, stage: string) =>
  page.getByRole('region', { name: `Attempt ${attempt}` }).getByRole('button', { name: new RegExp(`^${stage}`) });

const newKey = async ({ url }: Site): Promise<string> => {
  const body = { kind: 'api-key', role: 'user', label: 'Somebody who runs again' };
  return (await call(url, '/credential-service/api/v1/credentials', { method: 'POST', body })).body.secret;
};

/** A chain of two of the user's own processors: the first always works, the second answers as told. */
const ownChain = async ({ url }: Site, key: string) => {
  const receiver = await Receiver.start();
  onTestFinished(() => receiver.close());
  receiver.answer('/first', ({ body }, response) => response.writeHead(200, { 'content-type': 'text/plain' }).end(`${body}, seen`));
  const ids: string[] = [];
  for (const path of ['first', 'second']) {
    const body = { name: path, url: receiver.url(`/${path}`), mode: 'batch', inputSchema: 'string', outputSchema: 'string' };
    ids.push((await call(url, '/stream-configuration-service/api/v1/processor-declarations', { method: 'PUT', body, key })).body.id);
  }
  const template = {
    name: 'Two of my own',
    dataSourceSchema: 'string',
    processors: [
      { id: 'first', processorDeclarationId: ids[0], egress: { persist: true, sink: true, tags: [] } },
      { id: 'second', processorDeclarationId: ids[1], previousProcessorId: 'first' },
    ],
  };
  const path = '/stream-configuration-service/api/v1/stream-configuration-templates';
  const { body, status, text } = await call(url, path, { method: 'PUT', body: template, key });
  if (status > 299) throw new Error(text);
  return { receiver, templateId: String(body.id) };
};

/** The timeline of a stream, and reruns: of one stream, from a stage, and of many. */
export const rerunStories = (given: () => Site, speech: () => StubEngine): void => {
  describe('a transcription whose engine was away', () => {
    test('shows that it waits, fails with advice, and completes with one click when the engine is back', { timeout: 180_000 }, async () => {
      const site = given();
      speech().always(AWAY);
      const query = { streamConfigurationTemplateId: TRANSCRIPTION_TEMPLATE, persist: 'true', name: 'Engine was away' };
      const { body } = await upload(site.url, query, silence(1_000));
      const page = await site.visit({ at: `streams/${body.streamId}?view=details` });
      await bar(page, 1, 'transcriber').getByText('waits for an engine').waitFor();
      await bar(page, 1, 'transcriber').locator('.run-segment.waiting').waitFor({ state: 'attached' });
      const head = page.locator('.note.warn').filter({ hasText: 'transcriber has been waiting for its engine since' });
      await head.getByText(/failed \(503\)\..*continues by itself when the engine is back\. Nothing is lost/).waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
      await bar(page, 1, 'transcriber').getByText('failed').waitFor({ timeout: 60_000 });
      await head.waitFor({ state: 'detached' });
      await page.locator('.note.bad').first().getByText('When the engine is back, run the stream again from transcriber.').waitFor();
      const failed = page.getByRole('region', { name: 'Attempt 1' });
      if ((await bar(page, 1, 'transcriber').getAttribute('aria-expanded')) !== 'true') await bar(page, 1, 'transcriber').click();
      await expect.poll(() => failed.innerText()).toMatch(/PROCESSOR_[A-Z_]+[\s\S]*Waited for an engine/);
      expect(await accessibilityFaults(page)).toEqual([]);
      speech().always({ body: HEARD });
      await page.getByRole('button', { name: 'Run again from transcriber' }).click();
      await page.getByText('Attempt 2 started', { exact: true }).waitFor();
      await bar(page, 2, 'transcriber').getByText('done').waitFor();
      await page.getByText('Completed').first().waitFor();
      await page.getByRole('link', { name: 'Transcript', exact: true }).click();
      await expect.poll(() => page.getByRole('region', { name: 'Transcript' }).innerText()).toContain('Hello there');
      await page.getByRole('link', { name: 'Details' }).click();
      await bar(page, 2, 'transcriber').click();
      const second = page.getByRole('region', { name: 'Attempt 2' });
      await second.getByRole('region', { name: 'First lines of the output of transcriber' }).getByText(/Hello/).waitFor();
      await expect.poll(() => second.innerText()).toMatch(/Cost\s+[\d.]+ credits/);
      await second
        .locator('dd')
        .getByTitle(/^\d+\.\d+ credits$/)
        .waitFor();
      const downloading = page.waitForEvent('download');
      await second.getByRole('button', { name: 'Download input' }).click();
      expect((await downloading).suggestedFilename()).toBe(`${body.streamId}-2-transcriber-input.bin`);
      expect(await accessibilityFaults(page)).toEqual([]);
    });
  });

  describe('a running stage', () => {
    test('shows the first lines of its output as they arrive', async () => {
      const site = given();
      const key = await newKey(site);
      const { receiver, templateId } = await ownChain(site, key);
      const answers: ServerResponse[] = [];
      receiver.answer('/first', (_, response) => {
        response.writeHead(200, { 'content-type': 'application/x-ndjson' }).write('{"output": "one\\n"}\n');
        answers.push(response);
      });
      const { body } = await upload(site.url, { streamConfigurationTemplateId: templateId, persist: 'true' }, 'x', { key });
      const page = await site.visit({ at: `streams/${body.streamId}?view=details`, key });
      await bar(page, 1, 'first').getByText('running').waitFor();
      await page.getByText(/first \(1 of 2\) · running for \d/).waitFor();
      await bar(page, 1, 'first').click();
      const output = page.getByRole('region', { name: 'First lines of the output of first' });
      await output.getByText('one').waitFor();
      answers[0]?.write('{"output": "two\\n"}\n');
      await output.getByText('two').waitFor();
      answers[0]?.end('{"end": true}\n');
      await page.getByText('Completed').first().waitFor();
    });
  });

  describe('a rerun', () => {
    test('from the failed stage calls no stage before it, and both attempts stay in the timeline', async () => {
      const site = given();
      const key = await newKey(site);
      const { receiver, templateId } = await ownChain(site, key);
      receiver.answerStatus('/second', 400);
      const { body } = await upload(site.url, { streamConfigurationTemplateId: templateId, persist: 'true' }, 'Some <b>text</b>', { key });
      const page = await site.visit({ at: `streams/${body.streamId}?view=details`, key });
      await page.getByRole('button', { name: 'Run again from second' }).waitFor();
      await bar(page, 1, 'first').click();
      await page.getByRole('region', { name: 'First lines of the output of first' }).getByText('Some <b>text</b>, seen').waitFor();
      receiver.answer('/second', ({ body: text }, response) => response.writeHead(200, { 'content-type': 'text/plain' }).end(text));
      await page.getByRole('button', { name: 'Run again from second' }).click();
      await bar(page, 2, 'second').getByText('done').waitFor();
      expect(receiver.at('/first').length).toBe(1);
      expect(
        await page
          .getByRole('region', { name: 'Attempt 2' })
          .getByRole('button', { name: /^first/ })
          .count(),
      ).toBe(0);
      await bar(page, 1, 'second').getByText('failed').waitFor();
      await expect.poll(() => page.getByRole('region', { name: 'Usage' }).innerText()).toContain('attempt 2');
    });

    test('starts at the stage its owner chose, with other settings and a reason', async () => {
      const site = given();
      const query = { streamConfigurationTemplateId: TEXT_TEMPLATE, persist: 'true', name: 'No summary yet' };
      const { body } = await upload(site.url, query, 'Anna called. Ben came on Monday.');
      await streamEnd(site.url, body.streamId);
      const page = await site.visit({ at: `streams/${body.streamId}?view=details` });
      await page.getByRole('button', { name: 'Run again', exact: true }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Begin with').selectOption('llm');
      await dialog.getByRole('checkbox', { name: 'Summary', exact: true }).check();
      await dialog.getByLabel('Reason').fill('The <i>summary</i> was forgotten.');
      expect(await accessibilityFaults(page)).toEqual([]);
      await dialog.getByRole('button', { name: 'Run again' }).click();
      await page.getByRole('link', { name: /^(Transcript|Results)$/ }).click();
      await page.getByRole('region', { name: 'Summary' }).waitFor();
      await page.getByRole('link', { name: 'Details' }).click();
      await page.getByRole('region', { name: 'Attempt 2' }).getByText('The <i>summary</i> was forgotten.').waitFor();
      const { body: stream } = await call(site.url, `/stream-service/api/v1/streams/${body.streamId}`);
      expect(stream.configuration.processors[0].properties.summary.enabled).toBe(true);
    });

    test('is disabled if the data are deleted, and its button says so', async () => {
      const site = given();
      const { body } = await upload(site.url, { streamConfigurationTemplateId: PING_TEMPLATE }, 'x');
      await streamEnd(site.url, body.streamId);
      await call(site.url, `/stream-service/api/v1/streams/${body.streamId}`, { method: 'DELETE' });
      const page = await site.visit({ at: `streams/${body.streamId}?view=details` });
      const button = page.getByRole('button', { name: 'Cannot run again: data are gone' });
      await button.waitFor();
      expect(await button.isDisabled()).toBe(true);
      await page.getByText('The data of this stream have been deleted. Upload them again.').waitFor();
      await timeline(page).getByText('Attempt 1').waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
    });

    test('shows its timeline uncut on a phone, in dark mode', async () => {
      const site = given();
      const { body } = await upload(site.url, { streamConfigurationTemplateId: PING_TEMPLATE, persist: 'true' }, 'x');
      await streamEnd(site.url, body.streamId);
      const context = { viewport: { width: 390, height: 800 }, colorScheme: 'dark' } as const;
      const page = await site.visit({ at: `streams/${body.streamId}?view=details`, context });
      await bar(page, 1, 'echo').click();
      await page.getByRole('button', { name: 'Download output' }).waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    });
  });

  describe('many streams', () => {
    test('run again by a filter, with their count in advance and their progress on the list', async () => {
      const site = given();
      const key = await newKey(site);
      const { receiver, templateId } = await ownChain(site, key);
      receiver.answerStatus('/second', 400);
      const ids: string[] = [];
      for (let n = 0; n < LIMIT + 2; n++) {
        const query = { streamConfigurationTemplateId: templateId, persist: 'true', name: `Number ${n}` };
        const { body } = await upload(site.url, query, 'text', { key });
        ids.push(body.streamId);
        await streamEnd(site.url, body.streamId);
      }
      await upload(site.url, { streamConfigurationTemplateId: PING_TEMPLATE, name: 'Has worked' }, 'x', { key });
      const held: (() => void)[] = [];
      let isHeld = true;
      receiver.answer('/second', ({ body: text }, response) => {
        const answer = () => void response.writeHead(200, { 'content-type': 'text/plain' }).end(text);
        if (isHeld) held.push(answer);
        else answer();
      });
      const page = await site.visit({ key });
      await page.getByRole('button', { name: 'Run many again' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('6 streams of yours match.').waitFor();
      await dialog.getByLabel('State').selectOption('COMPLETED');
      await dialog.getByText('1 stream of yours matches.').waitFor();
      await dialog.getByLabel('State').selectOption('');
      await dialog.getByText('Choose at least one filter.').waitFor();
      await dialog.getByLabel('State').selectOption('FAILED');
      await dialog.getByLabel('Begin with').fill('second');
      await dialog.getByText('6 streams of yours match.').waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
      await dialog.getByRole('button', { name: 'Run 6 streams again' }).click();
      await page.getByText('6 streams queued').waitFor();
      const note = page.getByRole('group', { name: 'Streams that run again' });
      // One slot stays free for uploads.
      await expect.poll(() => note.innerText()).toContain(`${LIMIT - 1} of 6 streams started, 3 waiting for their turn`);
      expect(await accessibilityFaults(page)).toEqual([]);
      isHeld = false;
      for (const answer of held) answer();
      await expect.poll(() => note.innerText(), { timeout: 30_000 }).toContain('6 of 6 streams started.');
      for (const id of ids) {
        const { state, attempt } = await streamEnd(site.url, id);
        expect([state, attempt]).toEqual(['COMPLETED', 2]);
      }
      expect(receiver.at('/first').length).toBe(6);
    });
  });
};

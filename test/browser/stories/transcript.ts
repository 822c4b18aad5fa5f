import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { call, streamEnd, TEXT_TEMPLATE, upload } from '../../e2e/client.ts';
import { accessibilityFaults } from '../accessibility.ts';
import type { Site } from '../site.ts';

const TRANSCRIPTION = 'tech.vatis.schema.stream.processor.messages.transcription.TranscriptionResponseDto';
const SENTENCES = 60_000;
const CORRECTED_BY = { engine: 'llm', model: 'gpt-4o-mini' };

/** A stream whose page gets the given transcription instead of its own results: a real recording of that length would take hours. */
const transcribed = async (
  site: Site,
  sentences: readonly string[],
  metadata: object,
  words: readonly object[] = [],
  corrected: readonly string[] = [],
): Promise<Page> => {
  const { body } = await upload(site.url, { streamConfigurationTemplateId: TEXT_TEMPLATE, persist: 'true', summary: 'true' }, 'Some text.');
  const { streamId } = await streamEnd(site.url, body.streamId);
  const { body: stream } = await call(site.url, `/stream-service/api/v1/streams/${streamId}`);
  for (const processor of stream.configuration.processors) processor.destination.messageSchema = TRANSCRIPTION;
  const line = (processorId: string, n: number, payload: object): string =>
    JSON.stringify({
      ...{ sinkTopicName: processorId, messageId: `${processorId} ${n}`, processorId, frameType: 'final', payloadSchema: TRANSCRIPTION },
      payload: { start: n * 1_000, channel: null, ...payload },
    });
  const lines = [
    ...sentences.map((transcription, n) => line('llm', n, { transcription, words, metadata })),
    // A processor that is declared for other messages writes the corrected transcript.
    ...corrected.map((transcription, n) => line('corrector', n, { transcription, words: [], metadata: CORRECTED_BY })),
  ];
  const page = await site.visit({ at: 'streams' });
  await page.route(`**/stream-service/api/v1/streams/${streamId}`, (route) => route.fulfill({ json: stream }));
  await page.route('**/egress/live?*', (route) => route.fulfill({ contentType: 'application/x-ndjson', body: `${lines.join('\n')}\n` }));
  await page.goto(`${site.url}/#/streams/${streamId}`);
  await page.getByRole('region', { name: 'Transcript' }).waitFor();
  return page;
};

/** Reading a transcript: long ones, search, copy, other scripts, and what made it. */
export const transcriptStories = (given: () => Site): void => {
  describe('a transcript', () => {
    test('of 60,000 sentences can be searched, and only the visible part is in the page', { timeout: 180_000 }, async () => {
      const sentences = Array.from({ length: SENTENCES }, (_, n) => `Sentence number ${n}.`);
      const page = await transcribed(given(), sentences, { engine: 'faster-whisper 1.2.1', model: 'base', language: 'en' });
      const transcript = page.getByRole('region', { name: 'Transcript' });
      await transcript.getByText('Made by faster-whisper 1.2.1, model base, English.').waitFor();
      await transcript.getByText('Sentence number 0.').waitFor();
      expect(await transcript.locator('.utterance').count()).toBeLessThan(500);
      await transcript.getByLabel('Search', { exact: true }).fill('number 54321.');
      await transcript.getByText('1 of 1').waitFor();
      await transcript.getByText('Sentence number 54321.').waitFor();
      await expect.poll(() => transcript.locator('.hit.current').innerText()).toBe('number 54321.');
      expect(await transcript.locator('.utterance').count()).toBeLessThan(500);
      await transcript.getByLabel('Search', { exact: true }).fill('nothing says this');
      await transcript.getByText('No match').waitFor();
    });

    test('of many hours opens at the moment of a link, however its results arrive', async () => {
      const sentences = Array.from({ length: 20_000 }, (_, n) => `Sentence number ${n}.`);
      const page = await transcribed(given(), sentences, { engine: 'faster-whisper 1.2.1', speakerIds: ['A'] });
      const address = page.url();
      await page.goto(`${given().url}/#/streams`);
      await page.goto(`${address}?t=19000`);
      const sentence = page.getByText('Sentence number 19000.');
      await sentence.waitFor();
      const distance = () => sentence.evaluate((element) => Math.abs(element.getBoundingClientRect().top - innerHeight / 2));
      await expect.poll(distance).toBeLessThan(60);
      expect(await page.locator('.utterance.opened').innerText()).toContain('Sentence number 19000.');
    });

    test('lets the reader scroll away at once from a match', async () => {
      const sentences = Array.from({ length: 5_000 }, (_, n) => `Sentence number ${n}.`);
      const page = await transcribed(given(), sentences, { engine: 'faster-whisper 1.2.1', language: 'en' });
      const transcript = page.getByRole('region', { name: 'Transcript' });
      await transcript.getByText('Sentence number 0.').waitFor();
      await transcript.getByLabel('Search', { exact: true }).fill('number 4321.');
      await expect.poll(() => transcript.locator('.hit.current').innerText()).toBe('number 4321.');
      await transcript.getByLabel('Search', { exact: true }).fill('number 43');
      const next = await transcript.getByRole('button', { name: 'Next' }).elementHandle();
      const scrolled = await page.evaluate(async (button) => {
        const frames = async (count: number) => {
          for (let n = 0; n < count; n++) await new Promise(requestAnimationFrame);
        };
        scrollTo(0, 0);
        if (button instanceof HTMLElement) button.click();
        dispatchEvent(new WheelEvent('wheel'));
        await frames(60);
        return scrollY;
      }, next);
      expect(scrolled).toBe(0);
    });

    test('stays in place when the mouse is pressed on another word than the last one', async () => {
      const word = { word: 'maybe', start: 0, end: 400, confidence: 0.9, metadata: {} };
      const sentences = Array.from({ length: 40 }, () => 'maybe');
      const page = await transcribed(given(), sentences, { engine: 'faster-whisper 1.2.1', language: 'en' }, [word]);
      const words = page.locator('.transcript .word');
      await words.first().click();
      await page.getByLabel('Search', { exact: true }).focus();
      await words.last().hover();
      const before = await page.evaluate(() => scrollY);
      expect(before).toBeGreaterThan(0);
      await page.mouse.down();
      const after = await page.evaluate(async () => {
        for (let n = 0; n < 10; n++) await new Promise(requestAnimationFrame);
        return scrollY;
      });
      expect(after).toBe(before);
      await page.mouse.up();
    });

    test('names what made it: the speech engine as heard, the language model as enhanced', async () => {
      const page = await transcribed(given(), ['helo'], { engine: 'faster-whisper 1.2.1', language: 'en' }, [], ['Hello.']);
      const transcript = page.getByRole('region', { name: 'Transcript' });
      await transcript.getByText('Made by faster-whisper 1.2.1, English.').waitFor();
      await transcript.getByLabel('Enhanced').check();
      await transcript.getByText('Hello.').waitFor();
      await transcript.getByText('Written by the language model gpt-4o-mini.').waitFor();
      expect(await transcript.getByText('Made by faster-whisper').count()).toBe(0);
      expect(await accessibilityFaults(page)).toEqual([]);
    });

    test('shades uncertain words on request only', async () => {
      const word = { word: 'maybe', start: 0, end: 400, confidence: 0.3, metadata: {} };
      const page = await transcribed(given(), ['maybe'], { engine: 'faster-whisper 1.2.1', language: 'en' }, [word]);
      const uncertain = page.getByRole('region', { name: 'Transcript' }).locator('.word.hardly').first();
      const ground = () => uncertain.evaluate((element) => getComputedStyle(element).backgroundColor);
      const plain = await ground();
      await page.getByLabel('Show confidence').check();
      await expect.poll(ground).not.toBe(plain);
      expect(await accessibilityFaults(page)).toEqual([]);
      await page.getByLabel('Show confidence').uncheck();
      await expect.poll(ground).toBe(plain);
    });

    test('is copied as text, and shows right-to-left text from right to left', async () => {
      const page = await transcribed(given(), ['שלום עולם', 'Hello world.'], { engine: 'faster-whisper 1.2.1', language: 'he' });
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      const transcript = page.getByRole('region', { name: 'Transcript' });
      await transcript.getByText('Made by faster-whisper 1.2.1, Hebrew.').waitFor();
      const directions = await transcript
        .locator('.utterance-text')
        .evaluateAll((all) => all.map((one) => getComputedStyle(one).direction));
      expect(directions).toEqual(['rtl', 'ltr']);
      await transcript.getByRole('button', { name: 'Copy text' }).click();
      await page.getByText('Transcript copied').waitFor();
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('שלום עולם\nHello world.');
      expect(await accessibilityFaults(page)).toEqual([]);
    });
  });
};

import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Route } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { call, PING_TEMPLATE, streamEnd, TRANSCRIPTION_TEMPLATE, upload } from '../../e2e/client.ts';
import { heardWords, type StubEngine } from '../../fakes/engineServer.ts';
import { Receiver } from '../../receiver.ts';
import { silence } from '../../speech.ts';
import { accessibilityFaults } from '../accessibility.ts';
import type { Site } from '../site.ts';
import { openMoreSettings } from '../uploadForm.ts';

const CONFIGURATION = '/stream-configuration-service/api/v1';
const TRANSCRIPTION = 'tech.vatis.schema.stream.processor.messages.transcription.TranscriptionResponseDto';
const SECONDS = 65;

/** What the speech server answers. */
const heard = (language: string, text: string) => ({
  ...{ language, duration: SECONDS, text },
  segments: [{ start: 0, end: 0.9, text: ` ${text}` }],
  words: heardWords([text, 0, 0.9]),
});

const newKey = async (url: string): Promise<string> => {
  const body = { kind: 'api-key', role: 'user', label: 'Somebody who speaks' };
  return (await call(url, '/credential-service/api/v1/credentials', { method: 'POST', body })).body.secret;
};

const spoken = (transcription: string) => ({
  ...{ transcription, words: [], start: 0, end: 900, channel: null, utterance: true },
  metadata: { engine: 'stub', language: 'en' },
});

interface OwnTranscriber {
  readonly key: string;
  readonly templateId: string;
}

/** A user with a transcriber of their own, which answers as told. */
const ownTranscriber = async (
  { url }: Site,
  mode: 'live' | 'batch',
  answer: (request: IncomingMessage, say: (value: object) => void) => void,
): Promise<OwnTranscriber> => {
  const transcriber = createServer((request, response) => {
    for (const one of [request, response]) one.on('error', () => undefined);
    response.writeHead(200, { 'content-type': 'application/x-ndjson' });
    request.on('data', () => undefined);
    answer(request, (value) => {
      response.write(`${JSON.stringify(value)}\n`);
      if ('end' in value) response.end();
    });
  });
  await new Promise<void>((resolve) => transcriber.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    transcriber.closeAllConnections();
    transcriber.close();
  });
  const key = await newKey(url);
  const put = async (path: string, body: object): Promise<string> => {
    const { status, text, body: made } = await call(url, `${CONFIGURATION}/${path}`, { method: 'PUT', body, key });
    if (status > 299) throw new Error(text);
    return made.id;
  };
  const declaration = await put('processor-declarations', {
    ...{ name: 'Stub', url: `http://127.0.0.1:${(transcriber.address() as AddressInfo).port}/`, mode },
    ...{ inputSchema: 'bytes', outputSchema: TRANSCRIPTION },
    operationType: mode === 'live' ? 'REAL_TIME_TRANSCRIPTION' : 'BATCH_TRANSCRIPTION',
  });
  const templateId = await put('stream-configuration-templates', {
    ...{ name: 'Transcription of my own', dataSourceSchema: 'bytes' },
    processors: [{ id: 'transcriber', processorDeclarationId: declaration, egress: { persist: true, sink: true, tags: [] } }],
  });
  return { key, templateId };
};

/** Answers the first sound with a partial result, and the end of the sound with the final one. */
const captioner = (site: Site): Promise<OwnTranscriber> =>
  ownTranscriber(site, 'live', (request, say) => {
    request.once('data', () => say({ output: spoken('hello'), frameType: 'partial' }));
    request.on('end', () => {
      say({ output: spoken('hello world') });
      say({ end: true });
    });
  });

/** Pages of speech, on a server whose speech engine is another program: they need no engine on this machine. */
export const speechServerStories = (given: () => Site, speech: () => StubEngine): void => {
  describe('a server with a speech server', () => {
    test('takes a link that the server fetches, with options and a webhook, and says why a link failed', async () => {
      const site = given();
      const receiver = await Receiver.start();
      onTestFinished(() => receiver.close());
      const recording = silence(500);
      receiver.answer('/call.wav', (_, response) => response.writeHead(200, { 'content-type': 'audio/wav' }).end(recording));
      receiver.answer('/gone.wav', (_, response) => response.writeHead(404).end());
      const page = await site.visit({ at: `upload?template=${TRANSCRIPTION_TEMPLATE}` });
      const send = async (path: string) => {
        await page.getByRole('radio', { name: 'Link' }).check();
        await page.getByLabel('Link to a recording').fill(receiver.url(path));
        await page.getByRole('button', { name: 'Upload', exact: true }).click();
      };
      await page.getByRole('spinbutton', { name: 'Silence threshold' }).fill('0.25');
      await page.getByRole('textbox', { name: 'Question 1' }).fill('+ Café à côté?');
      await page.getByRole('button', { name: 'Add a webhook' }).click();
      await page.getByLabel('Webhook 1', { exact: true }).fill(receiver.url('/hook'));
      await send('/call.wav');
      await page.waitForURL(/streams/);
      const { body } = await call(site.url, `/stream-service/api/v1/streams/${page.url().split('/').at(-1)}`);
      const [transcriber, llm] = body.configuration.processors;
      expect(transcriber.properties.noSpeechThreshold).toBe(0.25);
      expect(llm.properties.askAnything['0'].content).toBe('+ Café à côté?');
      expect(body.configuration.dynamicWebhookEndpoints).toMatchObject([{ url: receiver.url('/hook'), events: ['stream.*'] }]);
      await page.goto(`${site.url}/#/upload?template=${TRANSCRIPTION_TEMPLATE}`);
      await send('/gone.wav');
      await page.getByText('The link answered with status 404.').waitFor();
      await page.getByText('Check the link in a browser, then upload it again.').waitFor();
    });

    test('greys out choices and languages that the server cannot run, with the reason, before the upload', async () => {
      const page = await given().visit({ at: 'nowhere' });
      // Answers as a server with engines for these languages would, whichever engines this machine has.
      let known: readonly unknown[] = ['en', 'fr', 'it', 'es'];
      const refuse = async (route: Route): Promise<void> => {
        const patches = JSON.parse((await route.request().headerValue('X-Template-Patch')) ?? '[]');
        const refused = patches.find(
          ({ path, value }: { path: string; value: unknown }) =>
            value === 'translate' || (/language$/.test(path) && !known.includes(value)),
        );
        const response = await route.fetch();
        const template = await response.json();
        const runnable = refused ? { ok: false, reason: `"${refused.value}" needs a multilingual model.` } : template.runnable;
        await route.fulfill({ response, json: { ...template, runnable } });
      };
      const template = `**/stream-configuration-templates/${TRANSCRIPTION_TEMPLATE}`;
      await page.route(template, refuse);
      await page.goto(`${given().url}/#/upload?template=${TRANSCRIPTION_TEMPLATE}`);
      await page.getByText(/This server cannot run translate\. "translate" needs a multilingual model\./).waitFor();
      expect(await page.getByRole('option', { name: 'translate (cannot run here)' }).isDisabled()).toBe(true);
      await page
        .getByText(/^This server understands the languages in this list\. For others, such as \w+: "\w+" needs a multilingual model\.$/)
        .waitFor();
      const language = page.getByLabel('Language', { exact: true }).first();
      const offered = await language.locator('option').evaluateAll((options) => options.map((one) => (one as HTMLOptionElement).value));
      expect([offered.includes('en'), offered.includes('fr'), offered.includes('ro')]).toEqual([true, true, false]);
      expect(await accessibilityFaults(page)).toEqual([]);
      known = ['en'];
      const others = await given().visit({ at: 'nowhere', key: await newKey(given().url) });
      await others.route(template, refuse);
      await others.goto(`${given().url}/#/upload?template=${TRANSCRIPTION_TEMPLATE}`);
      await others.getByText('This server understands English. Its administrator can add others.', { exact: true }).waitFor();
    });

    test('shows the length of the audio in the list, and none for a stream without audio', async () => {
      const site = given();
      const key = await newKey(site.url);
      speech().always({ body: heard('english', 'Hello') });
      const query = { streamConfigurationTemplateId: TRANSCRIPTION_TEMPLATE, name: 'Has a length' };
      const { body } = await upload(site.url, query, silence(1_000), { key });
      await streamEnd(site.url, body.streamId);
      const bytes = { streamConfigurationTemplateId: PING_TEMPLATE, name: 'Has none' };
      await upload(site.url, bytes, 'x', { key });
      const page = await site.visit({ key });
      const audio = (name: string) => page.getByRole('row').filter({ hasText: name }).locator('td[data-header=Length]');
      await expect.poll(() => audio('Has a length').innerText()).toBe('1:05');
      await expect.poll(() => audio('Has none').innerText()).toBe('');
    });

    test('says what is known of a run that reports no progress', async () => {
      const site = given();
      const key = await newKey(site.url);
      let answer = (): void => {};
      const held = new Promise<void>((resolve) => {
        answer = resolve;
      });
      speech().always(async () => {
        await held;
        return { body: heard('english', 'Hello') };
      });
      const { body } = await upload(site.url, { streamConfigurationTemplateId: TRANSCRIPTION_TEMPLATE }, silence(1_000), { key });
      const page = await site.visit({ at: `streams/${body.streamId}`, key });
      const progress = page.getByRole('group', { name: 'Progress' });
      await progress.getByText(/Transcription \(1 of 2\) · running for .* · the speech server gives all results at the end/).waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
      answer();
      await page.getByText('Completed').first().waitFor();
    });

    test('shows the progress and the remaining time of a recording whose results come one by one', async () => {
      const site = given();
      const pieces = 100;
      let isOver = false;
      let timer: NodeJS.Timeout | undefined;
      onTestFinished(() => clearInterval(timer));
      // Half a second of work for each minute of the recording.
      const { key, templateId } = await ownTranscriber(site, 'batch', (_, say) => {
        let piece = 0;
        timer = setInterval(() => {
          piece++;
          const place = { start: (piece - 1) * 60_000, end: piece * 60_000 };
          say({ output: { ...spoken(`Piece ${piece}.`), ...place, metadata: { recordingLength: pieces * 60_000 } } });
          if (!isOver && piece < pieces) return;
          clearInterval(timer);
          say({ end: true });
        }, 500);
      });
      const { body } = await upload(site.url, { streamConfigurationTemplateId: templateId }, silence(1_000), { key });
      const page = await site.visit({ at: `streams/${body.streamId}`, key });
      const progress = page.getByRole('group', { name: 'Progress' });
      await progress.getByText(/Stub \(1 of 1\) · \d+:00 of 1:40:00 transcribed · about .* left in this stage/).waitFor();
      expect(Number(await progress.getByRole('progressbar').getAttribute('value'))).toBeGreaterThan(0);
      expect(await accessibilityFaults(page)).toEqual([]);
      isOver = true;
      await page.getByText('Completed').first().waitFor();
      await progress.waitFor({ state: 'detached' });
    });

    test('flags extracts and sentiment of speech in another language, by the language that the transcript names', async () => {
      const site = given();
      const key = await newKey(site.url);
      const query = { streamConfigurationTemplateId: TRANSCRIPTION_TEMPLATE, persist: 'true', summary: 'true', sentimentAnalysis: 'true' };
      const page = await site.visit({ key });
      for (const [language, isOther] of [
        ['french', true],
        ['english', false],
      ] as const) {
        speech().always({ body: heard(language, 'Super.') });
        const { body } = await upload(site.url, query, silence(1_000), { key });
        await streamEnd(site.url, body.streamId);
        await page.goto(`${site.url}/#/streams/${body.streamId}`);
        await page.getByRole('region', { name: 'Sentiment' }).waitFor();
        await page.getByRole('region', { name: 'Summary' }).waitFor();
        expect(await page.getByText('This text does not seem to be all in English.').count(), language).toBe(isOther ? 2 : 0);
      }
    });

    test('captions speech through a live processor, with partial results, and keeps the stream', async () => {
      const site = given();
      const { key } = await captioner(site);
      const page = await site.visit({ at: 'upload', key });
      await page.getByRole('radio', { name: 'Live captions' }).check();
      await openMoreSettings(page);
      await page.getByLabel('Name').fill('Spoken to a stub');
      await page.getByRole('button', { name: 'Start captions' }).click();
      await page.getByText('Listening').waitFor();
      const transcript = page.getByRole('region', { name: 'Transcript' });
      await transcript.locator('.tentative').getByText('hello').waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
      await page.getByRole('button', { name: 'Stop' }).click();
      await page.getByText('Transcribed.').waitFor();
      await expect.poll(() => transcript.innerText()).toContain('hello world');
      await page.getByRole('link', { name: 'Open the stream' }).click();
      await page.getByRole('heading', { name: 'Spoken to a stub' }).waitFor();
      await expect.poll(() => transcript.innerText()).toContain('hello world');
    });

    test('says why captions ended: no microphone, stopped too early, or a cancelled stream', async () => {
      const site = given();
      const { key } = await captioner(site);
      const page = await site.visit({ at: 'upload', key });
      await page.getByRole('radio', { name: 'Live captions' }).check();
      await page.evaluate(() => {
        navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('no', 'NotAllowedError'));
      });
      await page.getByRole('button', { name: 'Start captions' }).click();
      await page.getByText('The browser blocked the microphone.').waitFor();
      expect(await page.getByText('Check that it is running').count()).toBe(0);
      await page.getByRole('button', { name: 'Back to the form' }).click();
      await page.getByRole('radio', { name: 'Live captions' }).check();
      await page.evaluate(() => {
        navigator.mediaDevices.getUserMedia = () => new Promise(() => {});
      });
      await page.getByRole('button', { name: 'Start captions' }).click();
      await page.getByText('Waiting for the microphone and the server.').waitFor();
      expect(await page.getByText('Say something.').count()).toBe(0);
      await page.getByRole('button', { name: 'Stop' }).click();
      await page.getByText('Stopped before anything was recorded.').waitFor();
      await page.reload();
      await page.getByRole('radio', { name: 'Live captions' }).check();
      const opened = page.waitForEvent('websocket');
      await page.getByRole('button', { name: 'Start captions' }).click();
      const id = new URL((await opened).url()).searchParams.get('id');
      await page.getByText('Listening').waitFor();
      await expect
        .poll(async () => (await call(site.url, `/stream-service/api/v1/streams/${id}/cancel`, { method: 'PUT', key })).status)
        .toBe(200);
      await page.getByRole('alert').getByText('Canceled by user').waitFor();
    });
  });
};

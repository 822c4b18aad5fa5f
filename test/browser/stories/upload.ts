import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Locator } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { call, PING_TEMPLATE, streamEnd, TEXT_TEMPLATE } from '../../e2e/client.ts';
import { ADMIN_KEY } from '../../e2e/server.ts';
import { speechEngineIsHere } from '../../speech.ts';
import { temporaryDirectory } from '../../temporaryDirectory.ts';
import { accessibilityFaults } from '../accessibility.ts';
import type { Site } from '../site.ts';
import { monologue } from '../spoken.ts';
import { openMoreSettings } from '../uploadForm.ts';

const WIDTHS = [
  { width: 1440, height: 900 },
  { width: 768, height: 1024 },
  { width: 390, height: 844 },
] as const;

const engineIsHere = await speechEngineIsHere();

/** Whether a text is neither cut nor wider than the window. */
const isWhole = (text: Locator): Promise<boolean> =>
  text.evaluate((element) => {
    const { left, right, height } = element.getBoundingClientRect();
    return left >= 0 && right <= innerWidth && height > 0 && element.scrollWidth <= element.clientWidth + 1;
  });

/** Five requests of 32 MiB. */
const LARGE_BYTES = 160_000_000;

const largeFile = (): string => {
  const file = join(temporaryDirectory(), 'large.bin');
  writeFileSync(file, Buffer.alloc(LARGE_BYTES, 7));
  return file;
};

/** Uploads of a file, a text and the microphone, with options and results. */
export const uploadStories = (given: () => Site): void => {
  describe('uploading', () => {
    test('sends a text with template options, and opens the page of its stream, where the results arrive', async () => {
      const page = await given().visit({ at: 'upload' });
      await page.getByRole('radio', { name: 'Text' }).check();
      await openMoreSettings(page);
      await page.getByLabel('Or type a text').fill('Anna called. Ben will send the offer on Monday. I love this.');
      await page.getByRole('checkbox', { name: 'Summary', exact: true }).check();
      await page.getByLabel('Length').selectOption('detailed');
      await page.getByRole('checkbox', { name: 'Sentiment analysis' }).check();
      await page.getByRole('textbox', { name: 'Question 1' }).fill('When comes the offer?');
      await page.getByLabel('Name').fill('Notes');
      expect(await accessibilityFaults(page)).toEqual([]);
      await page.getByRole('button', { name: 'Upload', exact: true }).click();
      await page.getByRole('heading', { name: 'Notes' }).waitFor();
      await page.getByRole('region', { name: 'Answers' }).getByText('Monday').waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
      const streamId = page.url().split('/').at(-1);
      const { body } = await call(given().url, `/stream-service/api/v1/streams/${streamId}`);
      const { properties, egress } = body.configuration.processors[0];
      expect([properties.summary.enabled, properties.summary.properties.length, egress.persist]).toEqual([true, 'detailed', true]);
      expect(properties.askAnything['0'].content).toBe('When comes the offer?');
    });

    test('continues a large file after lost connections, and on a reloaded page', async () => {
      const site = given();
      const file = largeFile();
      const page = await site.visit({ at: `upload?template=${PING_TEMPLATE}` });
      const stored = () => page.waitForResponse((answer) => answer.request().method() === 'PATCH' && answer.status() === 204);
      const loseConnection = async (after: Promise<unknown>) => {
        await after;
        const lost = page.waitForEvent('requestfailed');
        await page.context().setOffline(true);
        await lost;
        await page.context().setOffline(false);
      };
      await page.getByLabel('Choose files', { exact: true }).setInputFiles(file);
      const first = stored();
      await page.getByRole('button', { name: 'Upload', exact: true }).click();
      await loseConnection(first);
      await loseConnection(stored());
      await page.reload();
      await page.getByRole('heading', { name: 'Unfinished uploads' }).waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
      await page.getByLabel('large.bin').setInputFiles(file);
      await page.waitForURL(/#\/streams\//);
      const streamId = page.url().split('/').at(-1);
      const source = await call(site.url, `/stream-service/api/v1/streams/${streamId}/data-source`);
      expect(source.headers.get('content-length')).toBe(String(LARGE_BYTES));
      await page.goto(page.url().replace(/#.*/, '#/upload'));
      await page.getByRole('button', { name: 'Upload', exact: true }).waitFor();
      expect(await page.getByRole('heading', { name: 'Unfinished uploads' }).count()).toBe(0);
    });

    test('sends a dropped file in full, with a group and a webhook', async () => {
      const site = given();
      const page = await site.visit({ at: `upload?template=${PING_TEMPLATE}` });
      const dropped = await page.evaluateHandle(() => {
        const transfer = new DataTransfer();
        transfer.items.add(new File([new Uint8Array(3_000_000).fill(7)], 'bytes.bin'));
        return transfer;
      });
      const target = page.getByRole('group', { name: 'Files to upload' });
      await target.dispatchEvent('dragover', { dataTransfer: dropped });
      await target.dispatchEvent('drop', { dataTransfer: dropped });
      await page.getByText('2.9 MiB').waitFor();
      await page.getByRole('button', { name: 'Add a webhook' }).click();
      await page.getByLabel('Webhook 1', { exact: true }).fill('https://example.org/hook');
      await page.getByRole('button', { name: 'Upload', exact: true }).click();
      await page.getByText('Completed').waitFor();
      await page.getByRole('heading', { name: 'bytes.bin' }).waitFor();
      const streamId = page.url().split('/').at(-1);
      const { body } = await call(site.url, `/stream-service/api/v1/streams/${streamId}`);
      expect(body.configuration.dynamicWebhookEndpoints).toMatchObject([{ url: 'https://example.org/hook', events: ['stream.*'] }]);
      const source = await call(site.url, `/stream-service/api/v1/streams/${streamId}/data-source`);
      expect(source.headers.get('content-length')).toBe('3000000');
    });

    test('shows why a stream failed and what to do: on its page and in the list', async () => {
      const page = await given().visit({ at: `upload?template=${TEXT_TEMPLATE}` });
      const notText = { name: 'broken.txt', mimeType: 'text/plain', buffer: Buffer.from([0xff, 0xfe, 0xfd]) };
      await page.getByLabel('Choose files', { exact: true }).setInputFiles(notText);
      await page.getByRole('checkbox', { name: 'Summary', exact: true }).check();
      await page.getByRole('button', { name: 'Upload', exact: true }).click();
      const failure = page.locator('.note.bad').filter({ hasText: 'Failed:' });
      await failure.getByText('Failed:').waitFor();
      expect(await page.locator('.note.good').count()).toBe(0);
      const reason = await failure.innerText();
      expect(reason.length).toBeGreaterThan('Failed:'.length + 20);
      await page.getByRole('heading', { name: 'broken.txt' }).waitFor();
      await page.getByText('The stream failed before a stage finished.').waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
      await page.getByRole('link', { name: 'Library' }).first().click();
      const row = page.getByRole('row').filter({ hasText: 'broken.txt' }).first();
      await row.getByText('Failed', { exact: true }).waitFor();
      expect(reason).toContain('For a recording, choose a transcription template.');
      expect(await row.getByTitle(reason).count()).toBe(1);
    });

    test('shows that an upload failed even if its data are deleted: alone, and beside others that are still processed', async () => {
      const page = await given().visit();
      const expired: string[] = [];
      // A stream that is canceled while it is looked at, and its data then deleted.
      await page.route(/\/streams\/[0-9a-f-]{36}(\/components)?$/, async (route) => {
        const seen = await (await route.fetch()).json();
        const isPart = route.request().url().endsWith('/components');
        if (!isPart && expired.length === 0) expired.push(seen.streamId);
        const isExpired = expired.some((id) => route.request().url().includes(id));
        const change = isExpired ? { state: 'EXPIRED', stateDescription: 'Canceled by user' } : { state: 'READY' };
        await route.fulfill({ json: isPart ? { ...seen, ...(isExpired && { advice: 'Run the stream again.' }) } : { ...seen, ...change } });
      });
      const file = (name: string) => ({ name, mimeType: 'application/octet-stream', buffer: Buffer.from(name) });
      const send = async (button: string, ...names: string[]) => {
        expired.length = 0;
        await page.goto(`${given().url}/?${names.length}#/upload?template=${PING_TEMPLATE}`);
        await page.getByLabel('Choose files', { exact: true }).setInputFiles(names.map(file));
        await page.getByRole('button', { name: button, exact: true }).click();
      };
      await send('Upload', 'canceled.bin');
      await page.locator('.note.bad').getByText('Failed, data deleted: Canceled by user. Run the stream again.').waitFor();
      expect(await page.locator('.note.good').count()).toBe(0);
      await send('Upload 2 files', 'canceled.bin', 'other.bin');
      await page.locator('.cell-note').getByText('Failed, data deleted: Canceled by user. Run the stream again.').waitFor();
      await page.getByText('All files are uploaded. Processing continues if you close this page.').waitFor();
    });

    test('records from the microphone, and plays the recording before it is sent', async () => {
      const page = await given().visit({ at: 'upload' });
      await page.getByRole('button', { name: 'Record' }).click();
      const stop = page.getByRole('button', { name: /^Stop recording/ });
      await stop.waitFor();
      await page.getByRole('button', { name: /^Stop recording, 0:01/ }).waitFor();
      await stop.click();
      await page.getByText('recording.webm').waitFor();
      await page.getByRole('button', { name: 'Listen to recording.webm' }).click();
      const heard = page.getByLabel('Recording recording.webm');
      await expect.poll(() => heard.evaluate((audio) => audio instanceof HTMLAudioElement && audio.currentTime > 0)).toBe(true);
      await page.getByRole('button', { name: 'Listen to recording.webm' }).waitFor({ state: 'detached' });
      await openMoreSettings(page);
      await page.getByLabel('Template').selectOption(PING_TEMPLATE);
      await page.getByRole('button', { name: 'Upload', exact: true }).click();
      await page.getByLabel('The recording').waitFor();
    });

    test('sends several files at once, each with its own state and a reason if it fails', async () => {
      const site = given();
      const page = await site.visit({ at: `upload?template=${TEXT_TEMPLATE}` });
      const text = (name: string, content: Buffer | string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(content) });
      await page
        .getByLabel('Choose files', { exact: true })
        .setInputFiles([
          text('first.txt', 'Anna called.'),
          text('second.txt', 'Ben called.'),
          text('third.txt', 'No one called.'),
          text('broken.txt', Buffer.from([0xff, 0xfe, 0xfd])),
          text('removed.txt', 'x'),
        ]);
      await page.getByRole('button', { name: 'Remove removed.txt' }).click();
      await page.getByRole('checkbox', { name: 'Summary', exact: true }).check();
      await page.getByText('Each stream gets the name of its file.').waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
      await page.getByRole('button', { name: 'Upload 4 files' }).click();
      const row = (name: string) => page.getByRole('row').filter({ hasText: name });
      for (const name of ['first.txt', 'second.txt', 'third.txt']) await row(name).getByText('Completed').waitFor();
      await row('broken.txt').getByText('Failed').waitFor();
      await page.getByText('All files are uploaded. You can close this page.').waitFor();
      for (const viewport of WIDTHS) {
        await page.setViewportSize(viewport);
        const note = row('broken.txt').locator('.cell-note');
        await expect.poll(() => note.innerText()).toMatch(/UTF-8[\s\S]*choose a transcription template\.$/);
        expect(await isWhole(note), String(viewport.width)).toBe(true);
      }
      expect(await accessibilityFaults(page)).toEqual([]);
      await row('second.txt').getByRole('link', { name: 'Open the stream' }).click();
      await page.getByRole('heading', { name: 'second.txt' }).waitFor();
    });

    test('waits for its turn if too many streams run, and can send failed files again', async () => {
      const page = await given().visit({ at: `upload?template=${PING_TEMPLATE}` });
      const answers = [429, 503];
      await page.route('**/http-gateway/api/v1/upload?*', (route) => {
        const status = answers.shift();
        if (status === undefined) return route.continue();
        return route.fulfill({
          status,
          json: { statusCode: status, title: 'Refused', message: 'Not now.', internalErrorName: 'REFUSED', nestedErrors: [] },
        });
      });
      const file = (name: string) => ({ name, mimeType: 'application/octet-stream', buffer: Buffer.from(name) });
      await page.getByLabel('Choose files', { exact: true }).setInputFiles([file('a.bin'), file('b.bin')]);
      await page.getByRole('button', { name: 'Upload 2 files' }).click();
      await page.getByText('Waiting: too many of your streams are running.').waitFor();
      await page.getByText('Not uploaded').waitFor();
      await page.getByText('Not now. This is usually temporary. Try again in a moment.').waitFor();
      await page.getByText('1 upload failed.').waitFor();
      await page.getByRole('button', { name: 'Upload the failed files again' }).click();
      await page.getByText('All files are uploaded.').waitFor();
    });

    test('can be stopped by its user, and then says so', async () => {
      const page = await given().visit({ at: `upload?template=${PING_TEMPLATE}` });
      await page.route('**/http-gateway/api/v1/upload?*', () => new Promise(() => {}));
      const file = { name: 'slow.bin', mimeType: 'application/octet-stream', buffer: Buffer.from('x') };
      await page.getByLabel('Choose files', { exact: true }).setInputFiles(file);
      await page.getByRole('button', { name: 'Upload', exact: true }).click();
      await page.getByRole('button', { name: 'Stop the upload' }).click();
      await page.getByText('You stopped the upload.').waitFor();
      expect(await page.getByRole('alert').count()).toBe(0);
    });

    test('names the formats and the size that the server accepts, and refuses a larger file in advance', async () => {
      const site = given();
      const page = await site.visit({ key: null });
      await page.route(`${site.url}/`, async (route) => {
        const response = await route.fetch();
        const html = await response.text();
        await route.fulfill({ response, body: html.replace(/(upload-max-bytes" content=")\d+/, '$11000') });
      });
      expect(await (await fetch(site.url)).text()).toContain(`name="tributary-upload-max-bytes" content="${2 * 1024 ** 3}"`);
      await page.reload();
      await page.getByLabel('API key', { exact: true }).last().fill(ADMIN_KEY);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('link', { name: 'Upload' }).first().click();
      // Without a speech engine, no template takes recordings.
      if (engineIsHere) await page.getByText(/WAV, MP3, M4A.*Up to 1000 B each/).waitFor();
      await page.getByRole('radio', { name: 'Text' }).check();
      await page.getByText('Text files in UTF-8. Up to 1000 B each.').waitFor();
      await page
        .getByLabel('Choose files', { exact: true })
        .setInputFiles({ name: 'long.txt', mimeType: 'text/plain', buffer: Buffer.alloc(1_001, 'a') });
      await page.getByText('long.txt has 1001 B, but the server takes at most 1000 B.').waitFor();
      await page.getByRole('button', { name: 'Upload', exact: true }).click();
      await page.getByRole('heading', { name: 'Your audio or text' }).waitFor();
      await page.getByRole('button', { name: 'Remove long.txt' }).click();
      await page.getByText('long.txt has').waitFor({ state: 'detached' });
    });

    test('greys out a template and an option that cannot run on this server, with the reason, before the upload', async () => {
      const site = given();
      const configuration = '/stream-configuration-service/api/v1';
      const body = { kind: 'api-key', role: 'user', label: 'Owner of a broken template' };
      const key = (await call(site.url, '/credential-service/api/v1/credentials', { method: 'POST', body })).body.secret;
      const declared = await call(site.url, `${configuration}/processor-declarations`, {
        ...{ method: 'PUT', key },
        body: { name: 'Gone soon', url: 'https://example.org/', mode: 'batch', inputSchema: 'string', outputSchema: 'string' },
      });
      const processors = [{ id: 'gone', processorDeclarationId: declared.body.id }];
      const { body: broken } = await call(site.url, `${configuration}/stream-configuration-templates`, {
        ...{ method: 'PUT', key },
        body: { name: 'Broken chain', dataSourceSchema: 'string', processors },
      });
      await call(site.url, `${configuration}/processor-declarations/${declared.body.id}`, { method: 'DELETE', key });
      const page = await site.visit({ key, at: `upload?template=${broken.id}` });
      const { reason } = (await call(site.url, `${configuration}/stream-configuration-templates/${broken.id}`, { key })).body.runnable;
      await page.locator('.field-error').getByText(reason).waitFor();
      expect(await page.getByRole('option', { name: 'Broken chain (cannot run here)' }).isDisabled()).toBe(true);
      await page.getByLabel('Template').selectOption(TEXT_TEMPLATE);
      await page.getByText(/^Why \d+ templates? cannot run here$/).click();
      const why = page.locator('dl > div').filter({ hasText: 'Broken chain' });
      await expect.poll(() => why.innerText()).toContain(reason);
      await page.reload();
      expect(await page.getByLabel('Template').inputValue()).toBe(broken.id);
      const other = await site.visit({ key, at: 'upload' });
      const preselected = await other.getByLabel('Template').inputValue();
      const { runnable } = (await call(site.url, `${configuration}/stream-configuration-templates/${preselected}`, { key })).body;
      expect(runnable).toEqual({ ok: true, reason: null });

      await page.getByLabel('Template').selectOption(TEXT_TEMPLATE);
      await page.getByText('Enhanced transcription needs a language model, and this server has none (LLM_URL).').waitFor();
      expect(await page.getByRole('checkbox', { name: 'Enhanced transcription' }).isDisabled()).toBe(true);
      expect(await page.getByRole('checkbox', { name: 'Summary', exact: true }).isDisabled()).toBe(false);
      expect(await accessibilityFaults(page)).toEqual([]);
    });

    test('shows the upload of the form as a command, which does the same in a shell', async () => {
      const site = given();
      const page = await site.visit({ at: `upload?template=${TEXT_TEMPLATE}` });
      await page.getByLabel('Name').fill("Anna's notes");
      await page.getByRole('checkbox', { name: 'Summary', exact: true }).check();
      await page.getByText('Show the curl command').click();
      const command = await page.getByRole('region', { name: 'Command' }).innerText();
      expect(await accessibilityFaults(page)).toEqual([]);
      const file = join(mkdtempSync(join(tmpdir(), 'tributary-command-')), 'notes.txt');
      onTestFinished(() => rmSync(dirname(file), { recursive: true }));
      writeFileSync(file, 'Anna called. Ben came on Monday.');
      const { stdout } = await promisify(execFile)('sh', ['-c', command.replace('@FILE', `@${file}`)], {
        env: { ...process.env, API_KEY: ADMIN_KEY },
      });
      const { streamId } = JSON.parse(stdout);
      const { name, configuration } = await streamEnd(site.url, streamId);
      expect([name, configuration.processors[0].properties.summary.enabled]).toEqual(["Anna's notes", true]);
    });

    test('offers no link for a template without recordings, and says so', async () => {
      const page = await given().visit({ at: `upload?template=${TEXT_TEMPLATE}` });
      await page.getByRole('radio', { name: 'Link' }).check();
      await page.getByLabel('Template').selectOption(TEXT_TEMPLATE);
      await page.getByText('This template does not take recordings').waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
    });

    test("says what is wrong: nothing to upload, or the server's refusal", async () => {
      const page = await given().visit({ at: `upload?template=${PING_TEMPLATE}&group=no-group` });
      await page.getByRole('button', { name: 'Upload', exact: true }).click();
      await page.getByRole('alert').getByText('Choose a file first').waitFor();
      await page
        .getByLabel('Choose files', { exact: true })
        .setInputFiles({ name: 'a.bin', mimeType: 'application/octet-stream', buffer: Buffer.from('a') });
      await page.getByRole('button', { name: 'Upload', exact: true }).click();
      const alert = page.getByRole('alert');
      await alert.getByText('GENERAL_VALIDATION_ERROR').waitFor();
      await expect.poll(() => alert.innerText()).toMatch(/groupId[\s\S]*Correct the values named above/);
      await page.getByRole('button', { name: 'Back to the form' }).click();
      await page.getByRole('heading', { name: 'Your audio or text' }).waitFor();
    });
  });
};

const LIVE_TEMPLATE = '670ba9e0efa59fe6aecd56f1';

/** Uploads for a speech engine. */
export const spokenUploadStories = (given: () => Site): void => {
  describe.skipIf(!engineIsHere)('uploading speech', { timeout: 180_000 }, () => {
    test('captions speech from the microphone as it is spoken, with partial results, and keeps the stream', async () => {
      const site = given();
      const page = await site.visit({ at: 'upload' });
      const partials: string[] = [];
      page.on('websocket', (socket) =>
        socket.on('framereceived', ({ payload }) => {
          if (String(payload).includes('"frameType":"partial"')) partials.push(String(payload));
        }),
      );
      await page.getByRole('radio', { name: 'Live captions' }).check();
      await openMoreSettings(page);
      expect(await page.getByLabel('Template').inputValue()).toBe(LIVE_TEMPLATE);
      await page.getByLabel('Name').fill('Spoken here');
      expect(await accessibilityFaults(page)).toEqual([]);
      await page.getByRole('button', { name: 'Start captions' }).click();
      await page.getByText('Listening').waitFor();
      const transcript = page.getByRole('region', { name: 'Transcript' });
      await transcript.locator('.tentative').waitFor();
      await expect.poll(() => transcript.innerText(), { timeout: 30_000 }).toMatch(/hello,?\s+world/i);
      expect(await accessibilityFaults(page)).toEqual([]);
      expect(partials.length).toBeGreaterThan(0);
      await page.getByRole('button', { name: 'Stop' }).click();
      await page.getByText('Transcribed.').waitFor();
      await page.getByRole('link', { name: 'Open the stream' }).click();
      await page.getByRole('heading', { name: 'Spoken here' }).waitFor();
      await expect.poll(() => transcript.innerText()).toMatch(/hello,?\s+world/i);
    });

    test('asks for the number of speakers beside the switch, and sends it only with the switch on', async () => {
      const site = given();
      const page = await site.visit({ at: 'upload' });
      const speakers = page.getByRole('checkbox', { name: 'Speakers', exact: true });
      const number = page.getByLabel('How many speakers');
      await speakers.check();
      await number.fill('2');
      await openMoreSettings(page);
      await page.getByText('Show the curl command').click();
      const command = page.getByRole('region', { name: 'Command' });
      await expect.poll(() => command.innerText()).toContain('speakersNumber');
      expect(await accessibilityFaults(page)).toEqual([]);
      await speakers.uncheck();
      await number.waitFor({ state: 'detached' });
      await expect.poll(() => command.innerText()).not.toContain('speakersNumber');
    });

    test('takes a vocabulary that was saved in the form, by its name, and the kinds of data that redaction replaces', async () => {
      const page = await given().visit({ at: 'upload' });
      await page.getByLabel('Choose files', { exact: true }).setInputFiles({
        ...{ name: 'numbers.wav', mimeType: 'audio/wav' },
        buffer: await monologue(),
      });
      await openMoreSettings(page);
      await page.getByRole('button', { name: 'New vocabulary' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Name').fill('Greetings');
      await dialog.getByLabel('Words').fill('Tributary\n\nKurrent');
      await dialog.getByLabel('Replacements').fill('hello');
      await dialog.getByText('“hello” needs the form: heard = written.').waitFor();
      await dialog.getByLabel('Replacements').fill('hello = Goodbye');
      expect(await accessibilityFaults(page)).toEqual([]);
      await dialog.getByRole('button', { name: 'Save' }).click();
      await page.getByText('2 words, 1 replacement').waitFor();
      await page.getByRole('checkbox', { name: 'Greetings' }).check();
      await page.getByRole('checkbox', { name: 'Redaction' }).check();
      const kinds = page.getByRole('group', { name: 'Kinds' });
      expect(await kinds.getByRole('checkbox', { name: 'email' }).isChecked()).toBe(true);
      await kinds.getByRole('checkbox', { name: 'custom' }).check();
      await page.getByLabel('Patterns').fill('(?i)this is');
      await page.getByRole('checkbox', { name: 'Keep media' }).check();
      expect(await accessibilityFaults(page)).toEqual([]);
      await page.getByRole('button', { name: 'Upload', exact: true }).click();
      await page.getByRole('heading', { name: 'numbers.wav' }).waitFor();
      const transcript = page.getByRole('region', { name: 'Transcript' });
      await expect.poll(() => transcript.innerText(), { timeout: 30_000 }).toMatch(/Goodbye,? world[\s\S]*\[CUSTOM\]/);
      const { body } = await call(given().url, `/stream-service/api/v1/streams/${page.url().split('/').at(-1)}`);
      const redaction = body.configuration.processors.find(({ id }: { id: string }) => id === 'redaction');
      expect(redaction.properties).toMatchObject({ kinds: expect.arrayContaining(['email', 'custom']), keepMedia: true });

      await page.goto(`${given().url}/#/upload`);
      await openMoreSettings(page);
      await page.getByRole('button', { name: 'Edit Greetings' }).click();
      await dialog.getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('dialog', { name: 'Delete?' }).getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('checkbox', { name: 'Greetings' }).waitFor({ state: 'detached' });
    });

    test('keeps the settings of redaction, and the focus, at each key, and says why the server refuses them', async () => {
      const page = await given().visit({ at: 'upload' });
      await openMoreSettings(page);
      await page.getByRole('checkbox', { name: 'Redaction' }).check();
      const region = page.getByLabel('Region');
      await region.pressSequentially('U');
      await page.getByRole('alert').getByText('Invalid processor properties: redaction: /region').waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
      // The field that has the focus gets the key.
      await page.keyboard.press('S');
      await page.getByRole('alert').waitFor({ state: 'detached' });
      expect(await region.inputValue()).toBe('US');
      expect(await region.evaluate((field) => field === document.activeElement)).toBe(true);

      const kinds = page.getByRole('group', { name: 'Kinds' });
      for (const kind of ['phone', 'card', 'iban', 'ssn', 'ip', 'url']) await kinds.getByRole('checkbox', { name: kind }).uncheck();
      const last = kinds.getByRole('checkbox', { name: 'email' });
      expect(await last.isDisabled()).toBe(true);
      await kinds.getByText('At least one').waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
      await kinds.getByRole('checkbox', { name: 'card' }).check();
      expect(await last.isDisabled()).toBe(false);
    });

    test('keeps a chosen vocabulary under its new name, drops a deleted one, and leaves the @ out of words', async () => {
      const page = await given().visit({ at: 'upload' });
      await openMoreSettings(page);
      const dialog = page.getByRole('dialog');
      await page.getByRole('button', { name: 'New vocabulary' }).click();
      await dialog.getByLabel('Name').fill('Places');
      await dialog.getByLabel('Words').fill('Timișoara');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('checkbox', { name: 'Places' }).check();
      await page.getByLabel('Words to expect').pressSequentially('Anna, @team');
      await page.getByText('Leave the @ out.').waitFor();
      expect(await page.getByLabel('Words to expect').inputValue()).toBe('Anna, @team');
      await page.getByText('Show the curl command').click();
      const command = page.getByRole('region', { name: 'Command' });
      await expect.poll(async () => decodeURIComponent(await command.innerText())).toMatch(/@Places.*Anna.*team/);
      await page.getByRole('button', { name: 'Edit Places' }).click();
      await dialog.getByLabel('Name').fill('Towns');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('checkbox', { name: 'Towns' }).waitFor();
      expect(await page.getByRole('checkbox', { name: 'Towns' }).isChecked()).toBe(true);
      expect(await command.innerText()).not.toContain('Places');
      await page.getByRole('button', { name: 'Edit Towns' }).click();
      await dialog.getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('dialog', { name: 'Delete?' }).getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('checkbox', { name: 'Towns' }).waitFor({ state: 'detached' });
      expect(await command.innerText()).not.toContain('Towns');
      expect(await command.innerText()).toContain('Anna');
    });

    test('says that captions of silence have no words, instead of that they are done', async () => {
      const page = await given().visit({ at: 'upload' });
      await page.getByRole('radio', { name: 'Live captions' }).check();
      await page.evaluate(() => {
        navigator.mediaDevices.getUserMedia = async () => new AudioContext().createMediaStreamDestination().stream;
      });
      await page.getByRole('button', { name: 'Start captions' }).click();
      await page.getByText('Say something.').waitFor();
      await page.getByText(/^Recording, 0:0[2-9]$/).waitFor();
      await page.getByRole('button', { name: 'Stop' }).click();
      await page.getByText('Nothing was understood.').waitFor();
      expect(await page.locator('.note.good').count()).toBe(0);
      expect(await page.getByText('Say something.').count()).toBe(0);
    });
  });
};

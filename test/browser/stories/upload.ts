import { describe, expect, test } from 'vitest';
import { call, PING_TEMPLATE, TEXT_TEMPLATE } from '../../e2e/client.ts';
import { accessibilityFaults, type Site } from '../site.ts';

/** Uploading: a file, a text, the microphone; options; what comes out. */
export const uploadStories = (given: () => Site): void => {
  describe('uploading', () => {
    test('a text with options of the template shows its results as they come, and leads to the stream', async () => {
      const page = await given().visit({ at: 'upload' });
      await page.getByLabel('Template').selectOption(TEXT_TEMPLATE);
      await page.getByLabel('Or type a text').fill('Anna called. Ben will send the offer on Monday. I love this.');
      await page.getByRole('checkbox', { name: 'Summary', exact: true }).check();
      await page.getByLabel('Length').selectOption('detailed');
      await page.getByRole('checkbox', { name: 'Sentiment analysis' }).check();
      await page.getByRole('textbox', { name: 'Question 1' }).fill('When comes the offer?');
      await page.getByLabel('Name').fill('Notes');
      expect(await accessibilityFaults(page)).toEqual([]);
      await page.getByRole('button', { name: 'Upload', exact: true }).click();
      await page.getByText(/^Uploaded/).waitFor();
      await page.getByRole('region', { name: 'Answers' }).getByText('Monday').waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
      await page.getByRole('link', { name: 'Open the stream' }).click();
      await page.getByRole('heading', { name: 'Notes' }).waitFor();
      const streamId = page.url().split('/').at(-1);
      const { body } = await call(given().url, `/stream-service/api/v1/streams/${streamId}`);
      const { properties, egress } = body.configuration.processors[0];
      expect([properties.summary.enabled, properties.summary.properties.length, egress.persist]).toEqual([true, 'detailed', true]);
      expect(properties.askAnything['0'].content).toBe('When comes the offer?');
    });

    test('a file that is dropped goes out whole, with a group and a webhook', async () => {
      const site = given();
      const page = await site.visit({ at: `upload?template=${PING_TEMPLATE}` });
      const dropped = await page.evaluateHandle(() => {
        const transfer = new DataTransfer();
        transfer.items.add(new File([new Uint8Array(3_000_000).fill(7)], 'bytes.bin'));
        return transfer;
      });
      const target = page.getByRole('group', { name: 'File to upload' });
      await target.dispatchEvent('dragover', { dataTransfer: dropped });
      await target.dispatchEvent('drop', { dataTransfer: dropped });
      await page.getByText('2.9 MiB').waitFor();
      await page.getByRole('button', { name: 'Add a webhook' }).click();
      await page.getByLabel('Webhook 1', { exact: true }).fill('https://example.org/hook');
      await page.getByRole('button', { name: 'Upload', exact: true }).click();
      await page.getByText(/^Uploaded/).waitFor();
      await page.getByText('Completed').waitFor();
      await page.getByRole('link', { name: 'Open the stream' }).click();
      await page.getByRole('heading', { name: 'bytes.bin' }).waitFor();
      const streamId = page.url().split('/').at(-1);
      const { body } = await call(site.url, `/stream-service/api/v1/streams/${streamId}`);
      expect(body.configuration.dynamicWebhookEndpoints).toMatchObject([{ url: 'https://example.org/hook', events: ['stream.*'] }]);
      const source = await call(site.url, `/stream-service/api/v1/streams/${streamId}/data-source`);
      expect(source.headers.get('content-length')).toBe('3000000');
    });

    test('shows why an upload failed and what to do: on its page, on the stream page and in the list', async () => {
      const page = await given().visit({ at: `upload?template=${TEXT_TEMPLATE}` });
      const notText = { name: 'broken.txt', mimeType: 'text/plain', buffer: Buffer.from([0xff, 0xfe, 0xfd]) };
      await page.getByLabel('Choose a file').setInputFiles(notText);
      await page.getByRole('checkbox', { name: 'Summary', exact: true }).check();
      await page.getByRole('button', { name: 'Upload', exact: true }).click();
      const failure = page.locator('.note.bad');
      await failure.getByText('Failed:').waitFor();
      expect(await page.locator('.note.good').count()).toBe(0);
      const reason = await failure.innerText();
      expect(reason.length).toBeGreaterThan('Failed:'.length + 20);
      await page.getByRole('link', { name: 'Open the stream' }).click();
      await page.getByRole('heading', { name: 'broken.txt' }).waitFor();
      await expect.poll(() => failure.innerText()).toBe(reason);
      await page.getByText('The stream failed before a stage finished.').waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
      await page.getByRole('link', { name: 'Streams' }).first().click();
      const row = page.getByRole('row').filter({ hasText: 'broken.txt' }).first();
      await row.getByText('Failed').waitFor();
      expect(reason).toContain(await row.locator('.cell-note').innerText());
    });

    test('records from the microphone', async () => {
      const page = await given().visit({ at: 'upload' });
      await page.getByRole('button', { name: 'Record' }).click();
      const stop = page.getByRole('button', { name: /^Stop recording/ });
      await stop.waitFor();
      await page.getByRole('button', { name: /^Stop recording, 0:01/ }).waitFor();
      await stop.click();
      await page.getByText('recording.webm').waitFor();
      await page.getByLabel('Template').selectOption(PING_TEMPLATE);
      await page.getByRole('button', { name: 'Upload', exact: true }).click();
      await page.getByRole('link', { name: 'Open the stream' }).click();
      await page.getByLabel('The recording').waitFor();
    });

    test('says what is wrong: nothing to upload, and what the server refuses', async () => {
      const page = await given().visit({ at: `upload?template=${PING_TEMPLATE}&group=no-group` });
      await page.getByRole('button', { name: 'Upload', exact: true }).click();
      await page.getByRole('alert').getByText('Choose a file first').waitFor();
      await page
        .getByLabel('Choose a file')
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

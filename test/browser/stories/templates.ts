import { describe, expect, test } from 'vitest';
import { call } from '../../e2e/client.ts';
import { accessibilityFaults } from '../accessibility.ts';
import type { Site } from '../site.ts';

/** A user looks at a template, patches it after a dry run, sees both versions, and creates their own. */
export const templateStories = (given: () => Site): void => {
  describe('templates', () => {
    const userKey = async (): Promise<string> => {
      const body = { kind: 'api-key', role: 'user', label: 'who makes templates' };
      return (await call(given().url, '/credential-service/api/v1/credentials', { method: 'POST', body })).body.secret;
    };

    test('change built-in settings for one user, after a preview; a reset shows what it changes', {
      timeout: 180_000,
    }, async () => {
      const page = await given().visit({ key: await userKey(), at: 'templates' });
      await page.getByRole('link', { name: 'Text intelligence' }).click();
      await page.getByRole('img', { name: /Data source/ }).waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
      await page.getByRole('button', { name: 'Change settings' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('checkbox', { name: 'Summary', exact: true }).check();
      await dialog.getByRole('button', { name: 'Preview' }).click();
      await dialog.getByText('/processors/0/properties/summary/enabled').waitFor();
      await dialog.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('combobox', { name: 'Show' }).waitFor();
      await page.getByRole('button', { name: 'Reset to built-in' }).click();
      await dialog.getByRole('row', { name: /summary\/enabled changed to false/ }).waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
      await dialog.getByRole('button', { name: 'Reset to built-in' }).click();
      await page.getByText('Built-in', { exact: true }).waitFor();
    });

    test('are created from JSON and changed; one that cannot run is refused with the reason', {
      timeout: 180_000,
    }, async () => {
      const page = await given().visit({ key: await userKey(), at: 'templates' });
      await page.getByRole('button', { name: 'New template' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('radio', { name: 'JSON' }).check();
      const json = dialog.getByLabel('Template as JSON');
      const draft = JSON.parse(await json.inputValue());
      await json.fill(JSON.stringify({ ...draft, processors: [] }));
      await dialog.getByRole('button', { name: 'Save' }).click();
      await dialog.getByText('STREAM_CONFIGURATION_BAD_TEMPLATE').waitFor();
      await json.fill(JSON.stringify({ ...draft, name: 'Summaries' }));
      await dialog.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('heading', { name: 'Summaries' }).waitFor();
      await page.getByRole('button', { name: 'Change settings' }).click();
      await dialog.getByRole('checkbox', { name: 'Sentiment analysis', exact: true }).check();
      await dialog.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('heading', { name: 'Changes in version 2' }).waitFor();
      await page
        .getByRole('row', { name: /sentimentAnalysis/ })
        .first()
        .waitFor();
      await page.getByRole('combobox', { name: 'Show' }).selectOption('1');
      await page.getByText('This is version 1.').waitFor();
    });

    test('that cannot run on this server say why, in the list and on their page', async () => {
      const key = await userKey();
      const configuration = '/stream-configuration-service/api/v1';
      const put = async (path: string, body: object) =>
        (await call(given().url, `${configuration}/${path}`, { method: 'PUT', key, body })).body.id;
      const gone = await put('processor-declarations', {
        ...{ name: 'Gone soon', url: 'https://example.org/', mode: 'batch', inputSchema: 'string', outputSchema: 'string' },
      });
      const processors = [{ id: 'gone', processorDeclarationId: gone }];
      const id = await put('stream-configuration-templates', { name: 'Broken chain', dataSourceSchema: 'string', processors });
      await call(given().url, `${configuration}/processor-declarations/${gone}`, { method: 'DELETE', key });
      const { reason } = (await call(given().url, `${configuration}/stream-configuration-templates/${id}`, { key })).body.runnable;
      const page = await given().visit({ key, at: 'templates' });
      await page
        .getByRole('row', { name: /Broken chain/ })
        .getByText(reason)
        .waitFor();
      const runsHere = page.getByRole('row', { name: /Text intelligence/ }).locator('td[data-header="Runs here"]');
      await expect.poll(() => runsHere.innerText()).toBe('Yes');
      expect(await accessibilityFaults(page)).toEqual([]);
      await page.getByRole('link', { name: 'Broken chain' }).click();
      await page.locator('.note.warn').getByText(reason).waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
    });

    test('are built in a form with a picture, report the line of a JSON error, and can be duplicated', {
      timeout: 180_000,
    }, async () => {
      const page = await given().visit({ key: await userKey(), at: 'templates' });
      await page.getByRole('button', { name: 'New template' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Name', { exact: true }).fill('Transcript, then summary');
      await dialog.getByLabel('Takes').selectOption('bytes');
      await dialog.getByLabel('Further processor').selectOption('batch-transcriber');
      await dialog.getByRole('button', { name: 'Add to the chain' }).click();
      await dialog.getByRole('img', { name: /batch-transcriber reads llm/ }).waitFor();
      await dialog.getByRole('button', { name: 'Remove llm' }).click();
      await dialog.getByRole('img', { name: /batch-transcriber reads the data source/ }).waitFor();
      await dialog.getByLabel('Further processor').selectOption('llm');
      await dialog.getByRole('button', { name: 'Add to the chain' }).click();
      await dialog.getByRole('checkbox', { name: 'Summary', exact: true }).check();
      await dialog.getByLabel('Length').selectOption('detailed');
      expect(await accessibilityFaults(page)).toEqual([]);

      await dialog.getByRole('radio', { name: 'JSON' }).check();
      const json = dialog.getByLabel('Template as JSON');
      const text = await json.inputValue();
      expect(JSON.parse(text).processors).toMatchObject([
        { id: 'batch-transcriber', processorDeclarationId: 'batch-transcriber' },
        { previousProcessorId: 'batch-transcriber', properties: { summary: { enabled: true, properties: { length: 'detailed' } } } },
      ]);
      await json.fill(text.replace('"description"', '"description'));
      await dialog.getByText('This is not valid JSON: see line 3.').waitFor();
      expect(await dialog.getByRole('radio', { name: 'Form' }).isDisabled()).toBe(true);
      await json.fill(text);
      await dialog.getByRole('button', { name: 'Save' }).click();

      await page.getByRole('heading', { name: 'Transcript, then summary' }).waitFor();
      await page.getByRole('button', { name: 'Duplicate' }).click();
      await dialog.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('heading', { name: 'Copy of Transcript, then summary' }).waitFor();
    });
  });
};

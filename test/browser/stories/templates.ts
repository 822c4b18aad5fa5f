import { describe, expect, test } from 'vitest';
import { call } from '../../e2e/client.ts';
import { accessibilityFaults, type Site } from '../site.ts';

/** Somebody looks at a template, patches it after a dry run, sees both versions, and makes one of their own. */
export const templateStories = (given: () => Site): void => {
  describe('templates', () => {
    const userKey = async (): Promise<string> => {
      const body = { kind: 'api-key', role: 'user', label: 'who makes templates' };
      return (await call(given().url, '/credential-service/api/v1/credentials', { method: 'POST', body })).body.secret;
    };

    test('a built-in template is patched for its user alone, after a dry run; its versions and their difference are there; deleted, it is back', {
      timeout: 60_000,
    }, async () => {
      const page = await given().visit({ key: await userKey(), at: 'templates' });
      await page.getByRole('link', { name: 'Text intelligence' }).click();
      await page.getByRole('img', { name: /Data source/ }).waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
      await page.getByRole('button', { name: 'Patch' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('checkbox', { name: 'Summary', exact: true }).check();
      await dialog.getByRole('button', { name: 'Try' }).click();
      await dialog.getByText('/processors/0/properties/summary/enabled').waitFor();
      await dialog.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('combobox', { name: 'Show' }).waitFor();
      await page.getByRole('button', { name: 'Delete copy' }).click();
      await dialog.getByRole('button', { name: 'Delete copy' }).click();
      await page.getByRole('heading', { name: 'Templates' }).waitFor();
      await page.getByRole('row', { name: /^Text intelligence .*Built-in/ }).waitFor();
    });

    test('an own template is made from JSON and changed; what cannot run is refused with what is wrong where', {
      timeout: 60_000,
    }, async () => {
      const page = await given().visit({ key: await userKey(), at: 'templates' });
      await page.getByRole('button', { name: 'New template' }).click();
      const dialog = page.getByRole('dialog');
      const json = dialog.getByLabel('Template as JSON');
      const draft = JSON.parse(await json.inputValue());
      await json.fill(JSON.stringify({ ...draft, processors: [] }));
      await dialog.getByRole('button', { name: 'Save' }).click();
      await dialog.getByText('STREAM_CONFIGURATION_BAD_TEMPLATE').waitFor();
      await json.fill(JSON.stringify({ ...draft, name: 'Summaries' }));
      await dialog.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('heading', { name: 'Summaries' }).waitFor();
      await page.getByRole('button', { name: 'Patch' }).click();
      await dialog.getByRole('checkbox', { name: 'Sentiment analysis', exact: true }).check();
      await dialog.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('heading', { name: 'What version 2 has changed' }).waitFor();
      await page
        .getByRole('row', { name: /sentimentAnalysis/ })
        .first()
        .waitFor();
      await page.getByRole('combobox', { name: 'Show' }).selectOption('1');
      await page.getByText('This is version 1.').waitFor();
    });
  });
};

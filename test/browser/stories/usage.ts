import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { call, streamEnd, TEXT_TEMPLATE, upload } from '../../e2e/client.ts';
import { accessibilityFaults } from '../accessibility.ts';
import type { Site } from '../site.ts';

/** A user sees usage and its cost. */
export const usageStories = (given: () => Site): void => {
  describe('usage', () => {
    test('shows the cost of an upload by day, processor and template, in credits and in a currency', async () => {
      const { url } = given();
      const { body: user } = await call(url, '/credential-service/api/v1/credentials', {
        method: 'POST',
        body: { kind: 'api-key', role: 'user', label: 'who pays' },
      });
      const query = { streamConfigurationTemplateId: TEXT_TEMPLATE, summary: 'true', sentimentAnalysis: 'true' };
      const { body: stream } = await upload(url, query, 'It was wonderful. '.repeat(200), { key: user.secret });
      await streamEnd(url, stream.streamId);
      const page = await given().visit({ key: user.secret, at: 'usage' });
      const totals = page.getByRole('region', { name: 'Totals' });
      await totals.getByText(/credits/).waitFor();
      const row = page.getByRole('region', { name: 'By processor' }).getByRole('row').nth(1);
      await expect.poll(() => row.innerText()).toMatch(/LLM processing[\s\S]*1[\s\S]*credits/);
      await page.getByRole('region', { name: 'By template' }).getByRole('row').nth(1).getByText('Text intelligence').waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
      expect(await page.getByRole('heading', { name: 'Usage' }).count()).toBe(1);
      expect(await page.getByText('Cost by day', { exact: true }).count()).toBe(1);
      // Never more than six decimals.
      expect(await totals.innerText()).not.toMatch(/\.\d{7}/);
      const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Download CSV' }).click()]);
      const rows = readFileSync(await download.path(), 'utf8').split('\r\n');
      expect(rows[0]).toMatch(/^part,name,start,streams,credits,currency/);
      expect(rows).toContainEqual(expect.stringMatching(/^template,Text intelligence,/));
      await page.getByLabel('Currency').selectOption('EUR');
      await totals.getByText(/EUR/).waitFor();
      await page.getByLabel('Period').selectOption('day');
      await page.getByRole('region', { name: 'Cost by hour' }).waitFor();
    });

    test('says what to do if nothing was used', async () => {
      const { url } = given();
      const { body: user } = await call(url, '/credential-service/api/v1/credentials', {
        method: 'POST',
        body: { kind: 'api-key', role: 'user', label: 'who pays nothing' },
      });
      const page = await given().visit({ key: user.secret, at: 'usage' });
      await page.getByText('Nothing was used in this period.').waitFor();
    });
  });
};

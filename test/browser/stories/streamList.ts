import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { call, PING_TEMPLATE, streamEnd, TEXT_TEMPLATE, upload } from '../../e2e/client.ts';
import { accessibilityFaults } from '../accessibility.ts';
import type { Site } from '../site.ts';

const subjectsKey = async ({ url }: Site): Promise<string> => {
  const body = { kind: 'api-key', role: 'user', label: 'Somebody with many streams' };
  return (await call(url, '/credential-service/api/v1/credentials', { method: 'POST', body })).body.secret;
};

const names = (page: Page) => page.getByRole('rowheader').allInnerTexts();

/** Long lists: page size, jumps, the way back, and acting on several rows. */
export const streamListStories = (given: () => Site): void => {
  describe('a long list of streams', () => {
    test('has a page size and a jump, and keeps its place on return', async () => {
      const site = given();
      const key = await subjectsKey(site);
      for (let n = 0; n < 45; n++)
        await upload(site.url, { streamConfigurationTemplateId: PING_TEMPLATE, name: `Many ${n}` }, 'x', { key });
      const page = await site.visit({ key, context: { viewport: { width: 1280, height: 500 } } });
      await page.getByRole('link', { name: 'Many 44' }).waitFor();
      expect((await names(page)).length).toBe(20);
      await page.getByLabel('Rows').selectOption('10');
      await expect.poll(async () => (await names(page)).length).toBe(10);
      await page.getByLabel('Page', { exact: true }).fill('3');
      await page.getByRole('button', { name: 'Go', exact: true }).click();
      await page.getByText('21 to 30 of 45').waitFor();
      expect(page.url()).toContain('size=10');
      const row = page.getByRole('link', { name: 'Many 16' });
      await row.scrollIntoViewIfNeeded();
      const scrolled = await page.evaluate(() => scrollY);
      expect(scrolled).toBeGreaterThan(0);
      for (const back of ['the link', 'the browser'] as const) {
        await row.click();
        await page.getByRole('heading', { name: 'Many 16' }).waitFor();
        if (back === 'the browser') await page.goBack();
        else await page.getByRole('link', { name: 'Library' }).last().click();
        await page.getByText('21 to 30 of 45').waitFor();
        await expect.poll(() => page.evaluate(() => scrollY), { message: back }).toBe(scrolled);
      }
      expect(await accessibilityFaults(page)).toEqual([]);
    });

    test('is filtered by template and by date', async () => {
      const site = given();
      const key = await subjectsKey(site);
      await upload(site.url, { streamConfigurationTemplateId: PING_TEMPLATE, name: 'By ping' }, 'x', { key });
      await upload(site.url, { streamConfigurationTemplateId: TEXT_TEMPLATE, name: 'By text', summary: 'true' }, 'Anna called.', { key });
      const page = await site.visit({ key });
      await page.getByText('Filters', { exact: true }).click();
      await page.getByLabel('Template').selectOption(TEXT_TEMPLATE);
      await expect.poll(() => names(page)).toEqual(['By text']);
      await page.getByLabel('To', { exact: true }).fill('2020-01-01');
      await page.getByText('No stream matches.').waitFor();
      await page.getByLabel('To', { exact: true }).fill('');
      await page.getByLabel('From', { exact: true }).fill('2020-01-01');
      await page.getByLabel('Template').selectOption('');
      await expect.poll(() => names(page)).toEqual(['By text', 'By ping']);
    });

    test('shows the cost of a stream, and why one failed', async () => {
      const site = given();
      const key = await subjectsKey(site);
      const query = { streamConfigurationTemplateId: TEXT_TEMPLATE, summary: 'true' };
      const good = await upload(site.url, { ...query, name: 'Has a cost' }, 'Anna called. Ben will call on Monday.', { key });
      const bad = await upload(site.url, { ...query, name: 'Has failed' }, Buffer.from([0xff, 0xfe]), { key });
      await Promise.all([streamEnd(site.url, good.body.streamId), streamEnd(site.url, bad.body.streamId)]);
      const usage = await call(site.url, `/usage-service/api/v1/usage/streams/${good.body.streamId}`, { key });
      const page = await site.visit({ key });
      const row = (name: string) => page.getByRole('row').filter({ hasText: name });
      await row('Has a cost').getByTitle(`${usage.body.processors[0].credits} credits`).waitFor();
      await expect.poll(() => row('Has failed').innerText()).toMatch(/Failed[\s\S]*UTF-8/);
    });

    test('are labelled, kept for a time and exported together, and then filtered by a label', async () => {
      const site = given();
      const key = await subjectsKey(site);
      const query = { streamConfigurationTemplateId: TEXT_TEMPLATE, persist: 'true', summary: 'true' };
      for (const name of ['Call one', 'Call two', 'Other']) {
        const { body } = await upload(site.url, { ...query, name }, 'Anna called.', { key });
        await streamEnd(site.url, body.streamId);
      }
      const page = await site.visit({ key });
      for (const name of ['Call one', 'Call two']) await page.getByLabel(`Select ${name}`).check();
      await page.getByRole('button', { name: 'Label', exact: true }).click();
      await page.getByRole('dialog').getByLabel('Add').fill('sales, Berlin');
      expect(await accessibilityFaults(page)).toEqual([]);
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
      await page.getByRole('button', { name: 'Keep', exact: true }).click();
      await page.getByRole('dialog').getByLabel('Keep the data').selectOption('For 7 days from now');
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
      await page.getByText('Saved').waitFor();
      const downloading = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Export' }).click();
      expect((await downloading).suggestedFilename()).toMatch(/\.zip$/);
      await page.getByRole('group', { name: 'Labels' }).getByRole('button', { name: 'Berlin 2' }).click();
      await expect.poll(() => page.getByRole('rowheader').count()).toBe(2);
      await page.getByRole('link', { name: 'Call two' }).click();
      await page.getByRole('link', { name: 'sales' }).waitFor();
      await expect.poll(() => page.locator('dt', { hasText: 'Data kept until' }).locator('..').innerText()).toMatch(/in 168 h|Dec/);
      expect(await accessibilityFaults(page)).toEqual([]);
    });

    test('deletes the data of the selected rows only, after confirmation', async () => {
      const site = given();
      const key = await subjectsKey(site);
      for (const name of ['Keep me', 'Delete me', 'Delete me too'])
        await upload(site.url, { streamConfigurationTemplateId: PING_TEMPLATE, name, persist: 'true' }, 'x', { key });
      const page = await site.visit({ key });
      await page.getByLabel('Select Delete me', { exact: true }).check();
      await page.getByLabel('Select Delete me too').check();
      await page.getByText('2 selected').waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
      await page.getByRole('button', { name: 'Delete data of 2 streams' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
      expect(await page.getByRole('row').getByText('Expired').count()).toBe(0);
      await page.getByRole('button', { name: 'Delete data of 2 streams' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete data of 2 streams' }).click();
      const row = (name: string) => page.getByRole('row', { name: new RegExp(`${name} (Completed|Expired)`) });
      await row('Delete me').getByText('Expired').waitFor();
      await row('Delete me too').getByText('Expired').waitFor();
      await row('Keep me').getByText('Completed').waitFor();
      await page.getByText('Select all on this page').waitFor();
    });

    test('runs the selected rows again, and names those that could not', async () => {
      const site = given();
      const key = await subjectsKey(site);
      const ids: string[] = [];
      for (const name of ['First again', 'Second again']) {
        const query = { streamConfigurationTemplateId: PING_TEMPLATE, name, persist: 'true' };
        const { body } = await upload(site.url, query, 'x', { key });
        ids.push(body.streamId);
        await streamEnd(site.url, body.streamId);
      }
      const page = await site.visit({ key });
      await page.getByLabel('Select all on this page').check();
      await page.getByRole('button', { name: 'Run 2 streams again' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Run 2 streams again' }).click();
      await page.getByText('2 streams started again').waitFor();
      for (const id of ids) {
        const stream = await streamEnd(site.url, id);
        expect([stream.state, stream.attempt]).toEqual(['COMPLETED', 2]);
      }
      await page.getByLabel('Select all on this page').check();
      await page.getByRole('button', { name: 'Run 2 streams again' }).click();
      const gone = { statusCode: 410, title: 'Gone', message: 'The data are gone.', internalErrorName: 'GENERAL_NOT_FOUND_ERROR' };
      await page.route(`**/streams/${ids[0]}/rerun`, (route) => route.fulfill({ status: 410, json: { ...gone, nestedErrors: [] } }));
      await page.getByRole('dialog').getByRole('button', { name: 'Run 2 streams again' }).click();
      await page.getByRole('dialog').getByText('First again: The data are gone.').waitFor();
      expect((await streamEnd(site.url, ids[1] ?? '')).attempt).toBe(3);
    });
  });
};

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { call } from '../e2e/client.ts';
import { chromiumIsHere, openSite, type Site } from './site.ts';
import { furnish, loaded, show } from './views.ts';

/** `npm run screenshots`: every page and dialog at three widths, light and dark, for people to look at. `ONLY=streams` takes only those whose name contains it. */

const FOLDER = 'screenshots';
const IMAGES = 'docs/images';
const SIZES = { desk: { width: 1440, height: 900 }, tablet: { width: 768, height: 1024 }, phone: { width: 390, height: 844 } };
const SCHEMES = ['light', 'dark'] as const;

describe.runIf(chromiumIsHere())('screenshots', () => {
  let site: Site;

  beforeAll(async () => {
    site = await openSite({ WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8', WEBHOOK_RETRY_BASE_MS: '200' });
  });

  afterAll(() => site.close());

  test('of every page and dialog', async () => {
    mkdirSync(FOLDER, { recursive: true });
    const views = await furnish(site);
    const [page, stranger] = [await site.visit(), await site.visit({ key: null })];
    for (const view of views.all.filter(({ name }) => new RegExp(process.env.ONLY ?? '').test(name))) {
      const tab = view.signedOut ? stranger : page;
      await tab.setViewportSize(SIZES.desk);
      await show(tab, view);
      for (const [size, viewport] of Object.entries(SIZES))
        for (const colorScheme of SCHEMES) {
          await tab.setViewportSize(viewport);
          await tab.emulateMedia({ colorScheme });
          await loaded(tab);
          await tab.screenshot({ path: join(FOLDER, `${view.name}-${size}-${colorScheme}.png`), fullPage: true });
        }
    }
    await views.close();
  });

  test.runIf(process.env.ONLY === undefined || process.env.ONLY === 'readme')('of a transcript, for the README', async () => {
    const user = { kind: 'api-key', role: 'user', label: 'Anna' };
    const key = (await call(site.url, '/credential-service/api/v1/credentials', { method: 'POST', body: user })).body.secret;
    const page = await site.visit({ key, context: { viewport: { width: 1280, height: 800 } } });
    await page.getByRole('button', { name: 'Try a sample' }).click();
    await page.getByText('Speaker B').first().waitFor();
    await page.getByRole('region', { name: 'Summary' }).waitFor();
    const path = `/stream-service/api/v1/streams/${page.url().split('/').at(-1)}/transcript`;
    const { headers } = await call(site.url, path, { key });
    const edits = Object.entries({ A: 'Anna', B: 'Ben' }).map(([speaker, name]) => ({ op: 'name', speaker, name }));
    await call(site.url, path, { method: 'PATCH', body: { edits }, headers: { 'If-Match': headers.get('etag') ?? '' }, key });
    await page.reload();
    await page.getByText('Ben').first().waitFor();
    mkdirSync(IMAGES, { recursive: true });
    for (const colorScheme of SCHEMES) {
      await page.emulateMedia({ colorScheme });
      await loaded(page);
      await page.screenshot({ path: join(IMAGES, `transcript-${colorScheme}.png`) });
    }
  });
});

import { readdirSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { call } from '../../e2e/client.ts';
import { ADMIN_KEY } from '../../e2e/server.ts';
import { accessibilityFaults, accessibilityFaultsAtWidth, Looks } from '../accessibility.ts';
import type { Site } from '../site.ts';

type Items = Record<string, Record<string, { operationId: string }>>;

/** Of any page, at the width of a desk. */
const LONGEST_PAGE_PIXELS = 20_000;

/** Ids of a page's elements, and where its links lead. */
const contentOf = (page: Page): Promise<{ ids: string[]; links: string[]; height: number }> =>
  page.evaluate(() => ({
    ids: [...document.querySelectorAll('[id]')].map(({ id }) => id),
    links: [...document.querySelectorAll<HTMLAnchorElement>('a[href]')].map(({ href }) => href),
    height: document.documentElement.scrollHeight,
  }));

/** `/docs` in a real browser. Foreign requests and broken policies fail each story. */
export const docsStories = (site: () => Site): void => {
  describe('the API documents', () => {
    test('show every operation, event, message, schema and guide, without dangling links', { timeout: 180_000 }, async () => {
      const { url } = site();
      const page = await site().visit({ key: null });
      await page.goto(`${url}/docs`);
      const pages = [...new Set((await contentOf(page)).links.map((link) => link.split(/[?#]/)[0] ?? ''))].filter((link) =>
        link.includes('/docs'),
      );
      expect(pages.length).toBeGreaterThan(15);
      const found = new Map<string, { ids: string[]; links: string[]; height: number }>();
      for (const address of pages) {
        await page.goto(address);
        found.set(address, await contentOf(page));
      }
      for (const [address, { height }] of found) expect(height, address).toBeLessThan(LONGEST_PAGE_PIXELS);
      const sections = [...found].filter(([address]) => address !== `${url}/docs`);
      const ids = new Set(sections.flatMap(([, content]) => content.ids));
      const [http, socket] = await Promise.all(['/openapi.json', '/asyncapi.json'].map(async (path) => (await fetch(url + path)).json()));
      const operations = [http.paths, http.webhooks].flatMap((items: Items) => Object.values(items).flatMap((item) => Object.values(item)));
      const wanted = [
        ...operations.map(({ operationId }) => operationId),
        ...Object.keys(socket.channels.gateway.messages),
        ...Object.keys(http.components.schemas).map((name) => `schema-${name}`),
      ];
      expect(wanted.filter((id) => !ids.has(id))).toEqual([]);
      for (const file of readdirSync('docs/guides').filter((name) => name.endsWith('.md')))
        expect(pages).toContain(`${url}/docs/guides/${file.slice(0, -3)}`);
      const dangling = [...found.values()].flatMap(({ links }) =>
        links.filter((link) => {
          const [address = '', id] = link.split('#');
          return address.includes('/docs') && id && !found.get(address.split('?')[0] ?? '')?.ids.includes(id);
        }),
      );
      expect([...new Set(dangling)]).toEqual([]);
      for (const [address, content] of found)
        expect(
          content.ids.filter((id, index) => content.ids.indexOf(id) !== index),
          address,
        ).toEqual([]);
      expect((await fetch(`${url}/docs/nowhere`)).status).toBe(404);
      expect((await fetch(`${url}/docs/guides/nowhere`)).status).toBe(404);
    });

    test('open the schema that a link names, and lead from the overview to a guide', async () => {
      const page = await site().visit({ key: null });
      await page.goto(`${site().url}/docs/streams`);
      await page.locator('#findStream').getByRole('link', { name: 'MediaStream', exact: true }).click();
      await page.locator('#schema-MediaStream').getByText('streamId', { exact: true }).first().waitFor();
      expect(await page.locator('#schema-Template').isVisible()).toBe(false);
      await page.goto(`${site().url}/docs`);
      await page.locator('#guides').getByRole('link', { name: 'Get webhooks instead of polling' }).click();
      await page.getByRole('heading', { level: 1, name: 'Get webhooks instead of polling' }).waitFor();
      expect(page.url()).toBe(`${site().url}/docs/guides/webhooks`);
    });

    test('can be searched, also for text that looks like HTML', async () => {
      const { url } = site();
      const page = await site().visit({ key: null });
      await page.goto(`${url}/docs`);
      await page.getByLabel('Search the documents').fill('rotate secret');
      await page.getByRole('button', { name: 'Search' }).click();
      await page.getByRole('link', { name: 'POST /credential-service/api/v1/credentials/{credentialId}/rotate' }).click();
      await page.locator('#rotateCredential:target').waitFor();
      await page.goto(`${url}/docs?q=${encodeURIComponent('<img src=x onerror=alert(1)>"')}`);
      await page.getByRole('heading', { name: 'Nothing found for “<img src=x onerror=alert(1)>"”' }).waitFor();
      expect(await page.locator('main img').count()).toBe(0);
    });

    test("send a request with a key, or with the dashboard's credential", async () => {
      const { url } = site();
      const page = await site().visit({ key: null });
      await page.goto(`${url}/docs/credentials`);
      const section = page.locator('#getOwnCredential');
      await section.getByText('Try it').click();
      await section.getByRole('button', { name: 'Send' }).click();
      await section.locator('[data-answer]').getByText(/^401/).waitFor();
      await page.getByLabel('API key for “Try it”').fill(ADMIN_KEY);
      await page.getByRole('button', { name: 'Use in this tab' }).click();
      await page.getByText('requests with the credential that you are signed in with').waitFor();
      await section.getByRole('button', { name: 'Send' }).click();
      await section.locator('[data-answer]').getByText(/^200/).waitFor();
      await section.locator('pre').getByText('"roles"').waitFor();
      const create = page.locator('#issueCredential');
      await create.getByText('Try it').click();
      await create.getByLabel('Body', { exact: true }).fill(JSON.stringify({ kind: 'api-key', role: 'user', label: '<b>hostile</b>' }));
      await create.getByRole('button', { name: 'Send' }).click();
      await create.locator('[data-answer]').getByText(/^201/).waitFor();
      expect(await create.locator('[data-answer] b').count()).toBe(0);
      expect(await accessibilityFaults(page)).toEqual([]);
      await page.goto(`${url}/docs/streams`);
      const stream = page.locator('#findStream, #getStream, #findStreamById').first();
      await stream.getByText('Try it').click();
      await stream.getByLabel(/^streamId/).fill('../../../../credential-service/api/v1/credentials/self');
      await stream.getByRole('button', { name: 'Send' }).click();
      await stream.locator('[data-answer]').getByText(/^404/).waitFor();
      const { body: credentials } = await call(url, '/credential-service/api/v1/credentials?subject=*');
      expect(credentials.content.map(({ label }: { label: string }) => label)).toContain('<b>hostile</b>');
    });

    test('pass axe and fit the window on every page at three widths, in light and dark', { timeout: 300_000 }, async () => {
      const { url } = site();
      const page = await site().visit({ key: null });
      await page.goto(`${url}/docs`);
      const looks = new Looks();
      const pages = (await contentOf(page)).links.map((link) => link.split(/[?#]/)[0] ?? '').filter((link) => link.includes('/docs'));
      for (const address of new Set([...pages, `${url}/docs?q=stream`])) {
        await page.goto(address);
        // Two sections show as much as a hundred, in a tenth of the time.
        await page.evaluate(() => {
          for (const section of [...document.querySelectorAll('.operation, details:has(.schema)')].slice(2)) section.remove();
          for (const folded of document.querySelectorAll('details')) folded.open = true;
        });
        looks.shown.clear();
        for (const width of [390, 768, 1440]) {
          await page.setViewportSize({ width, height: 844 });
          const where = `${address} ${width}`;
          expect(await page.evaluate(() => document.documentElement.scrollWidth), where).toBeLessThanOrEqual(width);
          expect(await accessibilityFaultsAtWidth(page, looks), where).toEqual([]);
        }
      }
    });
  });
};

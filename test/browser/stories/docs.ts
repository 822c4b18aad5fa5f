import { readdirSync } from 'node:fs';
import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { call } from '../../e2e/client.ts';
import { ADMIN_KEY } from '../../e2e/server.ts';
import { accessibilityFaultsAtWidth, Looks } from '../accessibility.ts';
import type { Site } from '../site.ts';

type Items = Record<string, Record<string, { operationId: string; tags: [string] }>>;

/** Ids of a page's elements, and where its links lead. */
const contentOf = (page: Page): Promise<{ ids: string[]; links: string[] }> =>
  page.evaluate(() => ({
    ids: [...document.querySelectorAll('[id]')].map(({ id }) => id),
    links: [...document.querySelectorAll<HTMLAnchorElement>('a[href]')].map(({ href }) => href),
  }));

/** Faults that axe finds in the viewer's own markup, which we cannot mend. Its colours and sizes are ours. */
const OF_THE_VIEWER = /^in \w+, (heading-order|nested-interactive|region|label|select-name|scrollable-region-focusable):/;

/** An operation that the viewer shows, ready to send. */
const tried = async (page: Page, url: string, tag: string, operationId: string): Promise<Locator> => {
  await page.goto(`${url}/docs#/${tag}/${operationId}`);
  const operation = page.locator(`#operations-${tag}-${operationId}`);
  await operation.getByRole('button', { name: 'Try it out' }).click();
  return operation;
};

const send = async (operation: Locator, status: number): Promise<Locator> => {
  await operation.getByRole('button', { name: 'Execute' }).click();
  const answer = operation.locator('.live-responses-table .response');
  await answer.locator('.response-col_status').getByText(String(status), { exact: true }).waitFor();
  return answer;
};

/** `/docs` in a real browser. Foreign requests and broken policies fail each story. */
export const docsStories = (site: () => Site): void => {
  describe('the API documents', () => {
    test('show every operation and event', async () => {
      const { url } = site();
      const page = await site().visit({ key: null });
      await page.goto(`${url}/docs`);
      await page.locator('.opblock-tag').first().waitFor();
      for (const tag of await page.locator('.opblock-tag').all()) await tag.click();
      const { ids } = await contentOf(page);
      const { paths, webhooks }: { paths: Items; webhooks: Items } = await (await fetch(`${url}/openapi.json`)).json();
      const idsOf = (items: Items, place?: string): string[] =>
        Object.values(items).flatMap((item) =>
          Object.values(item).map(({ operationId, tags: [tag] }) => `operations-${place ?? tag.replaceAll(' ', '_')}-${operationId}`),
        );
      expect([...idsOf(paths), ...idsOf(webhooks, 'webhooks')].filter((id) => !ids.includes(id))).toEqual([]);
    });

    test('show every WebSocket message and guide, without dangling links', async () => {
      const { url } = site();
      const page = await site().visit({ key: null });
      const found = new Map<string, { ids: string[]; links: string[] }>();
      const visit = async (address: string): Promise<void> => {
        await page.goto(address);
        found.set(address, await contentOf(page));
      };
      await visit(`${url}/docs/websocket`);
      await visit(`${url}/docs/guides`);
      for (const file of readdirSync('docs/guides').filter((name) => name.endsWith('.md')))
        await visit(`${url}/docs/guides/${file.slice(0, -3)}`);
      const { channels } = await (await fetch(`${url}/asyncapi.json`)).json();
      expect(found.get(`${url}/docs/websocket`)?.ids).toEqual(expect.arrayContaining(Object.keys(channels.gateway.messages)));
      const dangling = [...found.values()].flatMap(({ links }) =>
        links.filter((link) => {
          const [address = '', id] = link.split('#');
          if (!address.startsWith(`${url}/docs/`)) return false;
          return !found.has(address) || (id !== undefined && !found.get(address)?.ids.includes(id));
        }),
      );
      expect(dangling).toEqual([]);
      expect((await fetch(`${url}/docs/nowhere`)).status).toBe(404);
      expect((await fetch(`${url}/docs/guides/nowhere`)).status).toBe(404);
    });

    test('open the operations of a tag by its address, and lead from the viewer to a guide', async () => {
      const page = await site().visit({ key: null });
      await page.goto(`${site().url}/docs/live-gateway`);
      await page.locator('[id^=operations-Live_gateway-]').first().waitFor();
      await page.getByRole('link', { name: 'Guides' }).click();
      await page.getByRole('main').getByRole('link', { name: 'Get webhooks instead of polling' }).click();
      await page.getByRole('heading', { level: 1, name: 'Get webhooks instead of polling' }).waitFor();
    });

    test('can be searched, also for text that looks like HTML', async () => {
      const { url } = site();
      const page = await site().visit({ key: null });
      // Every page has the form; the viewer takes the longest to draw.
      await page.goto(`${url}/docs/guides`);
      await page.getByLabel('Search the documents').fill('rotate secret');
      await page.getByRole('button', { name: 'Search' }).click();
      await page.getByRole('link', { name: 'POST /credential-service/api/v1/credentials/{credentialId}/rotate' }).click();
      await page.locator('#operations-Credentials-rotateCredential.is-open').waitFor();
      await page.goto(`${url}/docs?q=${encodeURIComponent('<img src=x onerror=alert(1)>"')}`);
      await page.getByRole('heading', { name: 'Nothing found for “<img src=x onerror=alert(1)>"”' }).waitFor();
      expect(await page.locator('main img').count()).toBe(0);
    });

    test('send a request with a key that is entered', async () => {
      const page = await site().visit({ key: null });
      const operation = await tried(page, site().url, 'Credentials', 'getOwnCredential');
      await send(operation, 401);
      await page.locator('.auth-wrapper .authorize').click();
      const form = page.locator('.auth-container').filter({ hasText: 'Basic <API_KEY>' });
      await form.getByRole('textbox').fill(`Basic ${ADMIN_KEY}`);
      await form.locator('.authorize').click();
      await page.locator('.close-modal').click();
      const answer = await send(operation, 200);
      await answer.getByText('"roles"').first().waitFor();
    });

    test("send a request with the dashboard's credential, and show its answer as text", async () => {
      const { url } = site();
      const page = await site().visit();
      const operation = await tried(page, site().url, 'Credentials', 'issueCredential');
      await operation.locator('textarea').fill(JSON.stringify({ kind: 'api-key', role: 'user', label: '<b>hostile</b>' }));
      const answer = await send(operation, 201);
      expect(await answer.locator('b').count()).toBe(0);
      const { body: credentials } = await call(url, '/credential-service/api/v1/credentials?subject=*');
      expect(credentials.content.map(({ label }: { label: string }) => label)).toContain('<b>hostile</b>');
    });
  });
};

/** How every page of `/docs` looks. */
export const docsPageStories = (site: () => Site): void => {
  test('the API documents pass axe and fit the window on every page at three widths, in light and dark', { timeout: 300_000 }, async () => {
    const { url } = site();
    const page = await site().visit();
    const looks = new Looks();
    await page.goto(`${url}/docs/guides`);
    const guides = (await contentOf(page)).links.filter((link) => link.includes('/docs/guides'));
    for (const address of new Set([...guides, `${url}/docs/websocket`, `${url}/docs?q=stream`, `${url}/docs`])) {
      await page.goto(address);
      if (address.endsWith('/docs')) await send(await tried(page, url, 'Credentials', 'listCredentials'), 200);
      looks.shown.clear();
      for (const width of [390, 768, 1440]) {
        await page.setViewportSize({ width, height: 844 });
        const where = `${address} ${width}`;
        expect(await page.evaluate(() => document.documentElement.scrollWidth), where).toBeLessThanOrEqual(width);
        // Guides differ in their text alone.
        if (width > 390 && guides.indexOf(address) > 0) continue;
        const faults = await accessibilityFaultsAtWidth(page, looks);
        expect(address.endsWith('/docs') ? faults.filter((fault) => !OF_THE_VIEWER.test(fault)) : faults, where).toEqual([]);
      }
    }
  });
};

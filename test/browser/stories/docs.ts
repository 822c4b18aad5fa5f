import { expect, test } from 'vitest';
import { accessibilityFaults, type Site } from '../site.ts';

type Items = Record<string, Record<string, { operationId: string }>>;

/** `/docs` in a real browser. That it asks for nothing and breaks no policy is looked at after each story. */
export const docsStories = (site: () => Site): void => {
  test('the API documents are one page: every operation, event, message and schema, in one answer', async () => {
    const page = await site().visit({ key: null });
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await page.goto(`${site().url}/docs`);
    const [http, socket] = await Promise.all(
      ['/openapi.json', '/asyncapi.json'].map(async (path) => (await fetch(site().url + path)).json()),
    );
    const operations = [http.paths, http.webhooks].flatMap((items: Items) => Object.values(items).flatMap((item) => Object.values(item)));
    const wanted = [
      ...operations.map(({ operationId }) => operationId),
      ...Object.keys(socket.channels.gateway.messages),
      ...Object.keys(http.components.schemas).map((name) => `schema-${name}`),
    ];
    const missing = await page.evaluate((ids) => ids.filter((id) => document.getElementById(id) === null), wanted);
    expect(missing).toEqual([]);
    const dangling = await page.evaluate(() =>
      [...document.querySelectorAll('a[href^="#"]')]
        .map((link) => link.getAttribute('href') ?? '')
        .filter((at) => !document.getElementById(at.slice(1))),
    );
    expect(dangling).toEqual([]);
    // The dashboard, which was open before, may still have asked for its icon.
    expect(asked.filter((path) => !path.startsWith('/assets/'))).toEqual(['/docs']);
    const twice = await page.evaluate(() => {
      const ids = [...document.querySelectorAll('[id]')].map(({ id }) => id);
      return ids.filter((id, index) => ids.indexOf(id) !== index);
    });
    expect(twice).toEqual([]);
    await page.getByText('Upload', { exact: true }).first().click();
    await page.getByRole('link', { name: 'POST upload' }).click();
    await page.locator('#upload:target').waitFor();
    // Its style has been applied, and the browser has not refused it.
    expect(await page.locator('nav').evaluate((element) => getComputedStyle(element).position)).toBe('sticky');
  });

  test('they can be read by everybody, light and dark, on a phone too', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await site().visit({ key: null, context: { colorScheme, viewport: { width: 390, height: 844 } } });
      await page.goto(`${site().url}/docs`);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
      // What scrolls by itself, the keyboard has to reach.
      const unreachable = await page.evaluate(() =>
        [...document.querySelectorAll<HTMLElement>('table')]
          .filter((one) => one.scrollWidth > one.clientWidth + 1)
          .map((one) => one.innerText.slice(0, 80)),
      );
      expect(unreachable).toEqual([]);
      // A hundred sections are made by the same functions: a few of each kind tell as much, in a tenth of the time.
      await page.evaluate(() => {
        for (const kind of ['.operation', '.schema']) for (const section of [...document.querySelectorAll(kind)].slice(4)) section.remove();
      });
      expect(await accessibilityFaults(page)).toEqual([]);
    }
  });
};

import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { call, PING_TEMPLATE } from '../../e2e/client.ts';
import { ADMIN_KEY, CLIENT_ID, CLIENT_SECRET } from '../../e2e/server.ts';
import { accessibilityFaults } from '../accessibility.ts';
import type { Site } from '../site.ts';

const MAX_SCRIPT_BYTES = 150 * 1024;

const issueKey = async (site: Site, role: string): Promise<string> => {
  const { body } = await call(site.url, '/credential-service/api/v1/credentials', {
    method: 'POST',
    body: { kind: 'api-key', role, label: `a ${role}` },
  });
  return body.secret;
};

/** Signing in and out, the navigation, and how the pages are served. */
export const frameStories = (given: () => Site): void => {
  describe('signing in', () => {
    test('works with an API key, stays over a reload, and ends with signing out', async () => {
      const page = await given().visit({ key: null });
      await page.getByLabel('API key', { exact: true }).last().fill('test-admin-key-0123456789abcdef-0123456789');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading', { name: 'Library' }).waitFor();
      await page.reload();
      await page.getByRole('heading', { name: 'Library' }).waitFor();
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
    });

    test('works with client credentials and their access token', async () => {
      const page = await given().visit({ key: null });
      const asked = page.waitForRequest((request) => request.url().includes('/stream-service/api/v1/streams'));
      await page.getByRole('radio', { name: 'Client credentials' }).check();
      await page.getByLabel('Client id').fill(CLIENT_ID);
      await page.getByLabel('Client secret').fill(CLIENT_SECRET);
      await page.getByRole('button', { name: 'Sign in' }).click();
      expect((await asked).headers().authorization).toMatch(/^Bearer eyJ/);
    });

    test('renews the access token before it expires', async () => {
      const page = await given().visit({ key: null });
      await page.clock.install();
      let tokens = 0;
      page.on('response', (response) => {
        if (response.url().endsWith('/protocol/openid-connect/token') && response.ok()) tokens++;
      });
      await page.reload();
      await page.getByRole('radio', { name: 'Client credentials' }).check();
      await page.getByLabel('Client id').fill(CLIENT_ID);
      await page.getByLabel('Client secret').fill(CLIENT_SECRET);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading', { name: 'Library' }).waitFor();
      await page.clock.fastForward('08:00');
      await page.getByText('Filters', { exact: true }).click();
      await page.getByLabel('State').selectOption('FAILED');
      await page.getByText('No stream matches.').waitFor();
      expect(tokens).toBe(1);
      await page.clock.fastForward('01:30');
      await page.getByLabel('State').selectOption('EXPIRED');
      await expect.poll(() => tokens).toBe(2);
    });

    test('lasts for new tabs if the user chooses so, and a sign-out ends it everywhere', async () => {
      const page = await given().visit({ key: null });
      const key = page.getByLabel('API key', { exact: true }).last();
      await expect.poll(() => key.evaluate((input) => input === document.activeElement)).toBe(true);
      await key.fill(ADMIN_KEY);
      await page.getByLabel('Stay signed in on this device').check();
      expect(await accessibilityFaults(page)).toEqual([]);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading', { name: 'Library' }).waitFor();
      const second = await page.context().newPage();
      await second.goto(given().url);
      await second.getByRole('heading', { name: 'Library' }).waitFor();
      await second.getByRole('button', { name: 'Sign out' }).click();
      await page.reload();
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    });

    test('says what to do when the key is lost', async () => {
      const page = await given().visit({ key: null });
      await page.getByText('Lost the key?').click();
      await page.getByText('npx tributary credentials create --kind api-key --role admin').waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
    });

    test('names a wrong key as the problem, and says what to do', async () => {
      const page = await given().visit({ key: null });
      await page.getByLabel('API key', { exact: true }).last().fill('no-such-key');
      await page.getByRole('button', { name: 'Sign in' }).click();
      const alert = page.getByRole('alert');
      await alert.waitFor();
      await expect.poll(() => alert.innerText()).toMatch(/not valid[\s\S]*Administrators issue them[\s\S]*GENERAL_AUTHENTICATION_ERROR/);
    });

    test("names a wrong client secret as the problem, without the browser's own login window", async () => {
      const page = await given().visit({ key: null });
      await page.getByRole('radio', { name: 'Client credentials' }).check();
      await page.getByLabel('Client id').fill(CLIENT_ID);
      await page.getByLabel('Client secret').fill('no such secret');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('alert').getByText('Client id or secret is wrong').waitFor();
      await page.getByRole('button', { name: 'Sign in' }).waitFor();
    });

    test('ends when the credential is revoked', async () => {
      const site = given();
      const { body } = await call(site.url, '/credential-service/api/v1/credentials', {
        method: 'POST',
        body: { kind: 'api-key', role: 'user', label: 'soon gone' },
      });
      const page = await site.visit({ key: body.secret });
      await page.getByText('No streams yet.').waitFor();
      await page.getByText('Filters', { exact: true }).click();
      await call(site.url, `/credential-service/api/v1/credentials/${body.id}`, { method: 'DELETE' });
      // It causes a request. The page may have noticed before, and taken the filters away.
      void page
        .getByLabel('State')
        .selectOption('FAILED')
        .catch(() => undefined);
      await page.getByText('Your credential is no longer accepted').waitFor();
    });
  });

  describe('a session', () => {
    test('with client credentials ends when they are revoked, although the token would still be renewed', async () => {
      const site = given();
      const { body } = await call(site.url, '/credential-service/api/v1/credentials', {
        method: 'POST',
        body: { kind: 'client', role: 'user', label: 'soon gone too' },
      });
      const page = await site.visit({ key: null });
      await page.getByRole('radio', { name: 'Client credentials' }).check();
      await page.getByLabel('Client id').fill(body.clientId);
      await page.getByLabel('Client secret').fill(body.secret);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByText('No streams yet.').waitFor();
      await call(site.url, `/credential-service/api/v1/credentials/${body.id}`, { method: 'DELETE' });
      await page.getByText('Your credential is no longer accepted').waitFor();
    });

    test('survives a server that is briefly away, also over a reload', async () => {
      const page = await given().visit();
      await page.getByRole('heading', { name: 'Library' }).waitFor();
      await page.route('**/*-service/**', (route) => route.abort());
      await page.reload();
      await page.getByText('The server is unreachable. Reload the page when it is back').waitFor();
      await page.unroute('**/*-service/**');
      await page.reload();
      await page.getByRole('heading', { name: 'Library' }).waitFor();
    });
  });

  describe('the navigation', () => {
    test("hides administrators' pages from a user, and explains so at their addresses", async () => {
      const site = given();
      const page = await site.visit({ key: await issueKey(site, 'user'), at: 'nowhere' });
      await page.getByText('This page does not exist.').waitFor();
      const names = await page.getByRole('navigation', { name: 'Pages' }).getByRole('link').allInnerTexts();
      expect(names).not.toContain('Credentials');
    });

    test('works on a phone, and with the keyboard only', async () => {
      const page = await given().visit({ context: { viewport: { width: 390, height: 800 } } });
      await page.getByRole('heading', { name: 'Library' }).waitFor();
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
      await page.getByRole('button', { name: 'Menu' }).focus();
      await page.keyboard.press('Enter');
      await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Library' }).waitFor();
    });

    test('switches between light and dark, and remembers the choice', async () => {
      const page = await given().visit();
      const ground = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
      const light = await ground();
      await page.getByRole('radio', { name: 'dark' }).check();
      await expect.poll(ground).not.toBe(light);
      const dark = await ground();
      await page.reload();
      expect(await ground()).toBe(dark);
    });
  });

  describe('the page', () => {
    test('is served with a strict policy, assets cached for ever, and less than 150 KB of script', async () => {
      const { url } = given();
      const page = await fetch(`${url}/`);
      expect(page.headers.get('cache-control')).toBe('no-cache');
      expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self'/);
      const html = await page.text();
      const assets = [...html.matchAll(/\/assets\/[\w.-]+/g)].map(([path]) => path);
      expect(new Set(assets.map((path) => path.split('.').at(-1)))).toEqual(new Set(['svg', 'js', 'css']));
      let script = 0;
      for (const path of assets) {
        const asset = await fetch(url + path);
        expect([asset.status, asset.headers.get('cache-control')]).toEqual([200, 'public, max-age=31536000, immutable']);
        if (path.endsWith('.js')) script += gzipSync(await asset.text()).length;
      }
      expect(script).toBeGreaterThan(1000);
      expect(script).toBeLessThan(MAX_SCRIPT_BYTES);
    });

    test('says how long data are kept, as the server is set', async () => {
      const site = given();
      const page = await site.visit({ at: `upload?template=${PING_TEMPLATE}` });
      const keeping = page.getByLabel('Keep the results');
      await keeping.waitFor();
      expect(await keeping.locator('option').allInnerTexts()).toEqual(['For 2 h', 'For 30 days', 'For a day', 'Do not keep them']);
      await keeping.selectOption('Do not keep them');
      await page.getByText('All data are deleted 1 min 30 s after the stream ends').waitFor();
    });

    test('leaves unknown paths to the API, which answers 404', async () => {
      for (const path of ['/streams', '/assets/none.js', '/index.html', '/stream-service/api/v1/nothing'])
        expect(await call(given().url, path, { key: null })).toMatchObject({
          status: 404,
          body: { internalErrorName: 'GENERAL_NOT_FOUND_ERROR' },
        });
    });

    test('passes axe before sign-in, in light and dark', async () => {
      for (const colorScheme of ['light', 'dark'] as const) {
        const page = await given().visit({ key: null, context: { colorScheme } });
        await page.getByRole('heading', { name: 'Sign in' }).waitFor();
        expect(await accessibilityFaults(page)).toEqual([]);
      }
    });
  });
};

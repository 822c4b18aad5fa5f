import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { call } from '../../e2e/client.ts';
import { ADMIN_KEY, CLIENT_ID, CLIENT_SECRET } from '../../e2e/server.ts';
import { accessibilityFaults, type Site } from '../site.ts';

const MAX_SCRIPT_BYTES = 200 * 1024;

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
      await page.getByRole('heading', { name: 'Streams' }).waitFor();
      await page.reload();
      await page.getByRole('heading', { name: 'Streams' }).waitFor();
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
    });

    test('works with client credentials, by an access token', async () => {
      const page = await given().visit({ key: null });
      const asked = page.waitForRequest((request) => request.url().includes('/stream-service/api/v1/streams'));
      await page.getByRole('radio', { name: 'Client credentials' }).check();
      await page.getByLabel('Client id').fill(CLIENT_ID);
      await page.getByLabel('Client secret').fill(CLIENT_SECRET);
      await page.getByRole('button', { name: 'Sign in' }).click();
      expect((await asked).headers().authorization).toMatch(/^Bearer eyJ/);
    });

    test('renews the access token before it ends', async () => {
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
      await page.getByRole('heading', { name: 'Streams' }).waitFor();
      await page.clock.fastForward('08:00');
      await page.getByLabel('State').selectOption('FAILED');
      await page.getByText('No stream matches.').waitFor();
      expect(tokens).toBe(1);
      await page.clock.fastForward('01:30');
      await page.getByLabel('State').selectOption('EXPIRED');
      await expect.poll(() => tokens).toBe(2);
    });

    test('stays in a new tab when the user chooses so, and ends everywhere with a sign-out', async () => {
      const page = await given().visit({ key: null });
      const key = page.getByLabel('API key', { exact: true }).last();
      await expect.poll(() => key.evaluate((input) => input === document.activeElement)).toBe(true);
      await key.fill(ADMIN_KEY);
      await page.getByLabel('Stay signed in on this device').check();
      expect(await accessibilityFaults(page)).toEqual([]);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading', { name: 'Streams' }).waitFor();
      const second = await page.context().newPage();
      await second.goto(given().url);
      await second.getByRole('heading', { name: 'Streams' }).waitFor();
      await second.getByRole('button', { name: 'Sign out' }).click();
      await page.reload();
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    });

    test('says what is wrong with a wrong key, and what to do', async () => {
      const page = await given().visit({ key: null });
      await page.getByLabel('API key', { exact: true }).last().fill('no-such-key');
      await page.getByRole('button', { name: 'Sign in' }).click();
      const alert = page.getByRole('alert');
      await alert.waitFor();
      await expect.poll(() => alert.innerText()).toMatch(/not valid[\s\S]*Administrators issue them[\s\S]*GENERAL_AUTHENTICATION_ERROR/);
    });

    test('says the same of a wrong client secret: the browser does not ask in a window of its own', async () => {
      const page = await given().visit({ key: null });
      await page.getByRole('radio', { name: 'Client credentials' }).check();
      await page.getByLabel('Client id').fill(CLIENT_ID);
      await page.getByLabel('Client secret').fill('no such secret');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('alert').getByText('Client id or secret is wrong').waitFor();
      await page.getByRole('button', { name: 'Sign in' }).waitFor();
    });

    test('comes to its end when the credential is revoked', async () => {
      const site = given();
      const { body } = await call(site.url, '/credential-service/api/v1/credentials', {
        method: 'POST',
        body: { kind: 'api-key', role: 'user', label: 'soon gone' },
      });
      const page = await site.visit({ key: body.secret });
      await page.getByText('No streams yet.').waitFor();
      await call(site.url, `/credential-service/api/v1/credentials/${body.id}`, { method: 'DELETE' });
      await page.getByLabel('State').selectOption('FAILED');
      await page.getByText('Your credential is no longer accepted').waitFor({ timeout: 15_000 });
    });
  });

  describe('a session', () => {
    test('by client credentials comes to its end when they are revoked, although the token would still be renewed', async () => {
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
      await page.getByText('Your credential is no longer accepted').waitFor({ timeout: 15_000 });
    });

    test('outlives a server that is away for a moment, also over a reload', async () => {
      const page = await given().visit();
      await page.getByRole('heading', { name: 'Streams' }).waitFor();
      await page.route('**/*-service/**', (route) => route.abort());
      await page.reload();
      await page.getByText('The server is unreachable. Reload the page when it is back').waitFor();
      await page.unroute('**/*-service/**');
      await page.reload();
      await page.getByRole('heading', { name: 'Streams' }).waitFor();
    });
  });

  describe('the navigation', () => {
    test('shows a user no page of an administrator, and says so at its address', async () => {
      const site = given();
      const page = await site.visit({ key: await issueKey(site, 'user'), at: 'nowhere' });
      await page.getByText('This page does not exist.').waitFor();
      const names = await page.getByRole('navigation', { name: 'Pages' }).getByRole('link').allInnerTexts();
      expect(names).not.toContain('Credentials');
    });

    test('works on a phone, with the keyboard alone', async () => {
      const page = await given().visit({ context: { viewport: { width: 390, height: 800 } } });
      await page.getByRole('heading', { name: 'Streams' }).waitFor();
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
      await page.getByRole('button', { name: 'Menu' }).focus();
      await page.keyboard.press('Enter');
      await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Streams' }).waitFor();
    });

    test('has a switch between light and dark, which is kept', async () => {
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
    test('is served with a strict policy, its assets for ever, and less than 200 KB of script', async () => {
      const { url } = given();
      const page = await fetch(`${url}/`);
      expect(page.headers.get('cache-control')).toBe('no-cache');
      expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self'/);
      const html = await page.text();
      const assets = [...html.matchAll(/\/assets\/[\w.-]+/g)].map(([path]) => path);
      expect(assets.length).toBe(3);
      let script = 0;
      for (const path of assets) {
        const asset = await fetch(url + path);
        expect([asset.status, asset.headers.get('cache-control')]).toEqual([200, 'public, max-age=31536000, immutable']);
        if (path.endsWith('.js')) script += gzipSync(await asset.text()).length;
      }
      expect(script).toBeGreaterThan(1000);
      expect(script).toBeLessThan(MAX_SCRIPT_BYTES);
    });

    test('leaves unknown paths to the API: 404 in its form', async () => {
      for (const path of ['/streams', '/assets/none.js', '/index.html', '/stream-service/api/v1/nothing'])
        expect(await call(given().url, path, { key: null })).toMatchObject({
          status: 404,
          body: { internalErrorName: 'GENERAL_NOT_FOUND_ERROR' },
        });
    });

    test('is clean for axe when nobody has signed in, in light and dark', async () => {
      for (const colorScheme of ['light', 'dark'] as const) {
        const page = await given().visit({ key: null, context: { colorScheme } });
        await page.getByRole('heading', { name: 'Sign in' }).waitFor();
        expect(await accessibilityFaults(page)).toEqual([]);
      }
    });
  });
};

/** Texts of pictures that are cut off at an edge. */
const textsOutsideOfPictures = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll('svg text')]
      .filter((text) => {
        const [at, picture] = [text.getBoundingClientRect(), text.closest('svg')?.getBoundingClientRect()];
        return picture && (at.left < picture.left - 1 || at.right > picture.right + 1);
      })
      .map(({ textContent }) => textContent ?? ''),
  );

/** What holds of every page; last, when there is something on them. */
export const everyPageStories = (given: () => Site): void => {
  describe('every page', () => {
    test.each([
      ['in light, on a desk', { colorScheme: 'light' }],
      ['in the dark, on a phone', { colorScheme: 'dark', viewport: { width: 390, height: 800 } }],
    ] as const)('is clean for axe and never wider than the screen, %s', async (_, context) => {
      const page = await given().visit({ context: { ...context } });
      const links = page.locator('nav[aria-label="Pages"] a');
      await links.first().waitFor({ state: 'attached' });
      const places = await links.evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''));
      expect(places.length).toBeGreaterThan(4);
      for (const place of places) {
        await page.evaluate((to) => location.assign(to), place);
        await page.locator(`nav a[href="${place}"][aria-current]`).waitFor({ state: 'attached' });
        await page.waitForFunction(() => document.querySelector('h1') && !document.querySelector('.loading'));
        expect(await accessibilityFaults(page), place).toEqual([]);
        expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), place).toBe(true);
        expect(await textsOutsideOfPictures(page), place).toEqual([]);
        expect(
          await page.evaluate(() => [...document.querySelectorAll('.table-frame')].every((one) => one.scrollWidth <= one.clientWidth)),
          place,
        ).toBe(true);
      }
    });
  });
};

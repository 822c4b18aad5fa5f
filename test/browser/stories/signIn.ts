import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { call, PING_TEMPLATE, streamEnd, upload } from '../../e2e/client.ts';
import { tributary } from '../../e2e/tributary.ts';
import type { startIdentityProvider } from '../../fakes/identityProvider.ts';
import { accessibilityFaults } from '../accessibility.ts';
import type { Site } from '../site.ts';

export type Provider = Awaited<ReturnType<typeof startIdentityProvider>>;

const keyStep = (page: Page) =>
  page.getByRole('region', { name: 'First steps' }).getByRole('listitem').filter({ hasText: 'An API key for your programs.' });

export const signInStories = (site: () => Site, provider: () => Provider): void => {
  beforeAll(() => provider().accept(site().url));
  afterAll(() => provider().stop());

  /** Goes through the provider's pages, as the account with this name. */
  const signInAs = async (name: string, at = ''): Promise<Page> => {
    provider().accounts.set(name, { name, email: `${name.toLowerCase()}@example.com`, email_verified: true });
    const page = await site().visit({ key: null, at });
    await page.getByRole('link', { name: 'Sign in with your organisation' }).click();
    await page.getByPlaceholder('Enter any login').fill(name);
    await page.getByPlaceholder('and password').fill('any');
    await page.getByRole('button', { name: 'Sign-in' }).click();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('navigation', { name: 'Pages' }).waitFor();
    return page;
  };

  describe('the first administrator', () => {
    test('signs in with a link, which works once', async () => {
      const { server } = site();
      const { stdout } = await tributary(server.dataDir, ['link'], server.environment);
      const page = await site().visit({ key: null, at: stdout.trim().split('/#/')[1] ?? '' });
      await page.getByText('It works once, for 15 minutes.').waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
      await page.reload();
      await page.getByRole('button', { name: 'Sign in as administrator' }).click();
      await page.getByRole('heading', { name: 'Library' }).waitFor();
      await page.getByRole('banner').getByText('Administrator, by a sign-in link').waitFor();
      // The keys of the first start are not for programs.
      expect(await keyStep(page).innerText()).not.toContain('Done');
      await page.goto(`${stdout.trim()}`);
      await page.reload();
      await page.getByRole('button', { name: 'Sign in as administrator' }).click();
      await page.getByText('This link was used already or has expired.').waitFor();
    });
  });

  describe('a person', () => {
    test('signs in, sees only their own library, makes an API key, and signs out', async () => {
      const others = await upload(site().url, { streamConfigurationTemplateId: PING_TEMPLATE, name: 'Of others' }, 'x');
      await streamEnd(site().url, others.body.streamId);
      const page = await signInAs('Ada', 'settings');
      await page.getByRole('heading', { name: 'Settings' }).waitFor();
      await page.getByRole('banner').getByText('Ada').waitFor();
      await page.getByRole('button', { name: 'New API key' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Label').fill('Nightly import');
      expect(await dialog.getByLabel('Role').locator('option').allInnerTexts()).toEqual(['user']);
      await dialog.getByRole('button', { name: 'Make key' }).click();
      await page.getByRole('heading', { name: 'Secret of “Nightly import”' }).waitFor();
      const secret = (await page.getByRole('dialog').locator('dd').innerText()).trim().split(/\s/)[0] ?? '';
      const { body: stream } = await upload(site().url, { streamConfigurationTemplateId: PING_TEMPLATE, name: 'Hers' }, 'x', {
        key: secret,
      });
      await streamEnd(site().url, stream.streamId);
      await page.getByRole('button', { name: 'I have stored it' }).click();
      await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Library' }).click();
      await page.getByRole('link', { name: 'Hers' }).waitFor();
      await expect.poll(() => keyStep(page).innerText()).toContain('Done');
      expect(await page.getByText('Of others').count()).toBe(0);
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      await page.reload();
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    });

    test('signs out at the provider too, and comes back to the dashboard', async () => {
      const page = await signInAs('Gil');
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByRole('link', { name: 'Sign out there too' }).waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
      await page.getByRole('link', { name: 'Sign out there too' }).click();
      await page.getByRole('button', { name: 'Yes, sign me out' }).click();
      await page.getByRole('link', { name: 'Sign in with your organisation' }).click();
      await page.getByPlaceholder('Enter any login').waitFor();
    });

    test('sees where they are signed in, and signs out everywhere', async () => {
      const [laptop, phone] = [await signInAs('Bea', 'settings'), await signInAs('Bea')];
      await laptop.reload();
      const rows = laptop.getByRole('table', { name: 'Sessions' }).locator('tbody tr');
      await expect.poll(() => rows.count()).toBe(2);
      await laptop.getByText('(this session)').waitFor();
      expect(await accessibilityFaults(laptop)).toEqual([]);
      await laptop.getByRole('button', { name: 'Sign out everywhere' }).click();
      await laptop.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click();
      await laptop.getByText('You are signed out everywhere.').waitFor();
      await phone.getByText('Filters', { exact: true }).click();
      await phone.getByLabel('State').selectOption('FAILED');
      await phone.getByText('Your session has ended. Sign in again.').waitFor();
    });

    test('is told when the server could not end a session', async () => {
      const page = await signInAs('Finn', 'settings');
      await page.route('**/sessions/*', (route) => route.abort());
      await page.getByRole('table', { name: 'Sessions' }).getByRole('button', { name: 'Sign out' }).click();
      await page.getByRole('table', { name: 'Sessions' }).getByText('The server is unreachable.').waitFor();
      await page.getByRole('banner').getByRole('button', { name: 'Sign out' }).click();
      await page.getByText('The server could not end your session.').waitFor();
      await page.unrouteAll();
      await page.reload();
      await page.getByRole('banner').getByRole('button', { name: 'Sign out' }).click();
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      await page.reload();
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    });

    test('is told when the provider is away, and can use a key', async () => {
      const page = await site().visit({ key: null, at: '?refused=provider-away' });
      await page.getByText('Your organisation’s sign-in service cannot be reached').waitFor();
      await page.getByText('Sign in with an API key', { exact: true }).click();
      await page.getByLabel('API key', { exact: true }).last().waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
    });
  });

  describe('an administrator', () => {
    test('gives a role, links a person to a library, and disables them', async () => {
      const { url } = site();
      const { body: owner } = await call(url, '/credential-service/api/v1/credentials', {
        method: 'POST',
        body: { kind: 'api-key', role: 'user', label: 'Founder' },
      });
      await signInAs('Cleo');
      const page = await site().visit({ at: 'users' });
      const row = page.getByRole('row', { name: /Cleo/ });
      await row.getByRole('button', { name: 'Change' }).click();
      await page.getByRole('dialog').getByLabel('Role').selectOption('auditor');
      await page.getByRole('dialog').getByLabel('Works with the library of').fill(owner.subject);
      expect(await accessibilityFaults(page)).toEqual([]);
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
      await row.getByText('auditor by an administrator').waitFor();
      await row.getByText('(linked)').waitFor();
      expect(await page.getByText('Founder').count()).toBe(0);
      await row.getByRole('button', { name: 'Change' }).click();
      await page.getByRole('dialog').getByLabel('Disabled').check();
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
      await row.getByText('disabled').waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
    });

    test('erases a linked person alone, and is told who goes with the library', async () => {
      const { url } = site();
      const { body: owner } = await call(url, '/credential-service/api/v1/credentials', {
        method: 'POST',
        body: { kind: 'api-key', role: 'user', label: 'Archive' },
      });
      const users = '/credential-service/api/v1/users';
      for (const name of ['Dino', 'Elsa']) {
        await signInAs(name);
        const { body } = await call(url, users);
        const { id } = body.content.find((user: { name: string }) => user.name === name);
        await call(url, `${users}/${id}`, { method: 'PATCH', body: { subject: owner.subject } });
      }
      const page = await site().visit({ at: 'users' });
      await page.getByRole('row', { name: /Dino/ }).getByRole('button', { name: 'Erase' }).click();
      const dialog = page.getByRole('dialog');
      const ownerId = () => dialog.getByLabel('Owner id', { exact: true }).inputValue();
      expect(await ownerId()).not.toBe(owner.subject);
      await dialog.getByLabel('Erase the library of Archive too').check();
      await dialog.getByText('These people work with the library and are erased too: Elsa.').waitFor();
      expect(await ownerId()).toBe(owner.subject);
      expect(await accessibilityFaults(page)).toEqual([]);
    });
  });
};

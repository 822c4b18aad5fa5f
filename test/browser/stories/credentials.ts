import { describe, expect, test } from 'vitest';
import { call } from '../../e2e/client.ts';
import { accessibilityFaults } from '../accessibility.ts';
import type { Site } from '../site.ts';

/** An administrator issues, shows once, rotates and revokes. */
export const credentialStories = (given: () => Site): void => {
  describe('credentials', () => {
    test('are issued with a working secret shown once; rotation and revocation end it', async () => {
      const { url } = given();
      const works = async (secret: string) => (await call(url, '/credential-service/api/v1/credentials/self', { key: secret })).status;
      const page = await given().visit({ at: 'credentials' });
      await page.getByRole('button', { name: 'Issue credential' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Label').fill('Reception desk');
      await dialog.getByLabel('Owner').fill((await call(url, '/credential-service/api/v1/credentials/self')).body.subject);
      await dialog.getByRole('button', { name: 'Issue', exact: true }).click();
      await page.getByRole('heading', { name: 'Secret of “Reception desk”' }).waitFor();
      const secretShown = () => page.getByRole('dialog').locator('dd code').last().innerText();
      const first = await secretShown();
      expect(await works(first)).toBe(200);
      await page.keyboard.press('Escape');
      await page.getByText('The secret is not shown again.').waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
      await page.getByRole('button', { name: 'Back' }).click();
      await page.getByRole('button', { name: 'I have stored it' }).click();
      expect(await page.content()).not.toContain(first);

      const row = page.getByRole('row', { name: /Reception desk/ });
      await row.getByRole('button', { name: 'Rotate' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click();
      await page.getByRole('heading', { name: 'Secret of “Reception desk”' }).waitFor();
      const second = await secretShown();
      expect(await works(second)).toBe(200);
      await expect.poll(() => works(first)).toBe(401);
      await page.getByRole('button', { name: 'I have stored it' }).click();

      await row.getByRole('button', { name: 'Revoke' }).click();
      await page.getByRole('button', { name: 'Cancel' }).waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await expect
        .poll(() => row.getByRole('button', { name: 'Revoke' }).evaluate((button) => button === document.activeElement))
        .toBe(true);
      await row.getByRole('button', { name: 'Revoke' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
      await row.waitFor({ state: 'detached' });
      await expect.poll(() => works(second)).toBe(401);
    });

    test('that were issued for a new owner are listed and can be revoked', async () => {
      const page = await given().visit({ at: 'credentials' });
      await page.getByRole('button', { name: 'Issue credential' }).click();
      await page.getByRole('dialog').getByLabel('Label').fill('Night shift');
      await page.getByRole('dialog').getByRole('button', { name: 'Issue', exact: true }).click();
      await page.getByRole('button', { name: 'I have stored it' }).click();
      await page
        .getByRole('row', { name: /Night shift/ })
        .getByRole('button', { name: 'Revoke' })
        .waitFor();
    });

    test("keep the form's input and show what is wrong in the window", async () => {
      const page = await given().visit({ at: 'credentials' });
      await page.getByRole('button', { name: 'Issue credential' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Label').fill('For nobody');
      await dialog.getByLabel('Owner').fill('no subject');
      await dialog.getByRole('button', { name: 'Issue', exact: true }).click();
      await dialog.getByRole('alert').waitFor();
      expect(await dialog.getByLabel('Label').inputValue()).toBe('For nobody');
      expect(await accessibilityFaults(page)).toEqual([]);
    });

    test("show their last use and issuer; revoking this session's key warns", async () => {
      const { url } = given();
      const issue = async (key: string | undefined, label: string) =>
        (
          await call(url, '/credential-service/api/v1/credentials', {
            method: 'POST',
            ...(key && { key }),
            body: { kind: 'api-key', role: 'admin', label },
          })
        ).body;
      const second = await issue(undefined, 'Second administrator');
      await issue(second.secret, 'Made by the second');
      const page = await given().visit({ key: second.secret, at: 'credentials' });
      const made = page.getByRole('row', { name: /Made by the second/ });
      await made.getByText('by Second administrator').waitFor();
      await expect.poll(() => made.innerText()).toMatch(/never/);
      const own = page.getByRole('row', { name: /this session/ });
      await expect.poll(() => own.innerText()).toMatch(/ago|just now/);
      await own.getByRole('button', { name: 'Revoke' }).click();
      await page.getByRole('dialog').getByText('You are signed in with this credential.').waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
      await page.getByRole('button', { name: 'Cancel' }).click();
      await made.getByRole('button', { name: 'Revoke' }).click();
      expect(await page.getByRole('dialog').getByText('You are signed in with this credential.').count()).toBe(0);
    });
  });
};

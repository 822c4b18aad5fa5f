import { describe, expect, onTestFinished, test } from 'vitest';
import { call } from '../../e2e/client.ts';
import { Receiver } from '../../receiver.ts';
import { accessibilityFaults } from '../accessibility.ts';
import type { Site } from '../site.ts';

/** A user declares a processor of their own, tests it, changes it and deletes it. */
export const processorStories = (given: () => Site): void => {
  describe('processors of users', () => {
    const userKey = async (): Promise<string> => {
      const body = { kind: 'api-key', role: 'user', label: 'who writes processors' };
      return (await call(given().url, '/credential-service/api/v1/credentials', { method: 'POST', body })).body.secret;
    };

    const redactor = async (): Promise<Receiver> => {
      const receiver = await Receiver.start();
      onTestFinished(() => receiver.close());
      receiver.answer('/redact', ({ body, headers }, response) => {
        const encoded = String(headers['tributary-properties']);
        const { replacement = '***' } = JSON.parse(Buffer.from(encoded, 'base64url').toString());
        response.writeHead(200, { 'content-type': 'text/plain' }).end(body.replaceAll(/\S+@\S+/g, replacement));
      });
      receiver.answer('/broken', (_, response) => response.writeHead(400).end());
      return receiver;
    };

    test('are declared with a form, show their secret once, and are tested, updated and deleted', async () => {
      const receiver = await redactor();
      const page = await given().visit({ key: await userKey(), at: 'processors' });
      await page.getByText('You have not declared a processor yet.').waitFor();
      await page
        .getByRole('row', { name: /Built-in/ })
        .first()
        .waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
      await page.getByRole('button', { name: 'Declare a processor' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Name').fill('<i>Redact</i>');
      await dialog.getByLabel('URL').fill('http://10.0.0.1/inward');
      const schema = dialog.getByLabel('Properties as a JSON Schema');
      await schema.fill('{\n  "type": "object",\n  nonsense\n}');
      await dialog.getByText('This is not valid JSON: see line 3.').waitFor();
      expect(await dialog.getByRole('button', { name: 'Declare' }).isDisabled()).toBe(true);
      await schema.fill(JSON.stringify({ type: 'object', properties: { replacement: { type: 'string', description: 'Put in place.' } } }));
      expect(await accessibilityFaults(page)).toEqual([]);
      await dialog.getByRole('button', { name: 'Declare' }).click();
      await dialog.getByText('url "http://10.0.0.1/inward" is not allowed.').waitFor();
      await dialog.getByLabel('URL').fill(receiver.url('/redact'));
      await dialog.getByRole('button', { name: 'Declare' }).click();
      await dialog.getByText(/^whsec_/).waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
      await dialog.getByRole('button', { name: 'I have stored it' }).click();
      await page.getByRole('heading', { name: '<i>Redact</i>' }).waitFor();
      expect(await page.getByText(/whsec_/).count()).toBe(0);

      await page.getByLabel('Input').fill('Write to ana@example.org today.');
      await page.getByLabel('Replacement').fill('[gone]');
      await page.getByRole('button', { name: 'Run the test' }).click();
      await page.getByRole('region', { name: 'Output' }).getByText('Write to [gone] today.').waitFor();
      await page.getByRole('row', { name: /POST 200/ }).waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);

      await page.getByRole('button', { name: 'New version' }).click();
      await dialog.getByLabel('URL').fill(receiver.url('/broken'));
      await dialog.getByRole('button', { name: 'Save version' }).click();
      await page.getByText('Saved as version 2').waitFor();
      await page.getByLabel('Version', { exact: true }).selectOption('1');
      await page.getByText('This is version 1.').waitFor();
      await page.getByRole('link', { name: 'Show the newest, 2' }).click();
      await page.getByLabel('Input').fill('x');
      await page.getByRole('button', { name: 'Run the test' }).click();
      await page.getByText('Failed:').waitFor();

      await page.getByRole('button', { name: 'Rotate secret' }).click();
      await dialog.getByRole('button', { name: 'Rotate secret' }).click();
      await dialog.getByText('The previous secret also signs until').waitFor();
      await dialog.getByText(/^whsec_/).waitFor();
      await dialog.getByRole('button', { name: 'I have stored it' }).click();
      await page.getByRole('button', { name: 'Delete', exact: true }).click();
      await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
      await page.getByText('You have not declared a processor yet.').waitFor();
    });

    test('can be shared with everyone by an administrator; other users see them without their address', async () => {
      const site = given();
      const receiver = await redactor();
      const page = await site.visit({ at: 'processors' });
      await page.getByRole('button', { name: 'Declare a processor' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Name').fill('Shared by all');
      await dialog.getByLabel('URL').fill(receiver.url('/redact'));
      await dialog.getByLabel('Share it with all users').check();
      await dialog.getByRole('button', { name: 'Declare' }).click();
      await dialog.getByRole('button', { name: 'I have stored it' }).click();
      await page.getByRole('heading', { name: 'Shared by all' }).waitFor();
      await page.getByText(receiver.url('/redact')).waitFor();
      const other = await site.visit({ key: await userKey(), at: page.url().split('#/')[1] ?? '' });
      await other.getByRole('heading', { name: 'Shared by all' }).waitFor();
      await other.getByText('When its input is complete').waitFor();
      expect(await other.getByText(receiver.url('/redact')).count()).toBe(0);
      expect(await other.getByRole('button', { name: 'Delete' }).count()).toBe(0);
    });
  });
};

import { describe, expect, onTestFinished, test } from 'vitest';
import { call, PING_TEMPLATE, upload } from '../../e2e/client.ts';
import { Receiver } from '../../receiver.ts';
import { accessibilityFaults } from '../accessibility.ts';
import type { Site } from '../site.ts';

/** A user creates an endpoint, tests it, follows its deliveries, and corrects errors. */
export const webhookStories = (given: () => Site): void => {
  describe('webhooks', () => {
    test('are created, tested, recovered and deleted; deliveries are searched and show their payload', {
      timeout: 90_000,
    }, async () => {
      const { url } = given();
      const receiver = await Receiver.start();
      onTestFinished(() => receiver.close());
      receiver.answer('/story', (_, response) => response.writeHead(200).end('taken with thanks'));
      const { body: user } = await call(url, '/credential-service/api/v1/credentials', {
        method: 'POST',
        body: { kind: 'api-key', role: 'user', label: 'who listens' },
      });
      const page = await given().visit({ key: user.secret, at: 'webhooks' });
      await page.getByText('No endpoint yet.').waitFor();
      await page.getByRole('button', { name: 'New endpoint' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('Addresses in private networks need WEBHOOK_ALLOW_CIDRS.').waitFor();
      await dialog.getByLabel('Address').fill(receiver.url('/story'));
      await dialog.getByLabel(/^Everything/).uncheck();
      await dialog.getByLabel('All of stream').check();
      await dialog.getByText('Headers and filter').click();
      await dialog.getByLabel('Headers').fill('{"X-Token": "abc"}');
      await dialog.getByLabel('Filter').fill('{"type": {"prefix": "stream."}}');
      expect(await accessibilityFaults(page)).toEqual([]);
      await dialog.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('heading', { name: receiver.url('/story') }).waitFor();
      await page.getByText('Headers of your own: X-Token.').waitFor();
      await page.getByText('{"type":{"prefix":"stream."}}').waitFor();

      await page.getByRole('button', { name: 'Send test' }).click();
      await page.getByRole('row', { name: /ping/ }).locator('[data-state=delivered]').waitFor();
      await page.getByRole('row', { name: /ping/ }).locator('summary').click();
      await page.getByText('taken with thanks').waitFor();
      await page.getByRole('button', { name: 'Show secret' }).click();
      const secret = await page.getByRole('region', { name: 'Signing secret' }).locator('code').innerText();
      expect(receiver.at('/story')[0]?.verified(secret)).toMatchObject({ type: 'ping' });
      expect(receiver.at('/story')[0]?.headers['x-token']).toBe('abc');

      await page.getByRole('button', { name: 'Disable' }).click();
      await page.getByText(/It receives no events/).waitFor();
      const { body: stream } = await upload(url, { streamConfigurationTemplateId: PING_TEMPLATE }, 'missed', { key: user.secret });
      await call(url, `/stream-service/api/v1/streams/${stream.streamId}`, { key: user.secret });
      await page.getByRole('button', { name: 'Enable' }).click();
      await page.getByRole('button', { name: 'Recover' }).click();
      expect(await dialog.getByLabel('Missed in').inputValue()).toBe('24');
      expect(await accessibilityFaults(page)).toEqual([]);
      await dialog.getByRole('button', { name: 'Recover' }).click();
      await dialog.getByText(/deliver(y|ies) scheduled/).waitFor();
      await dialog.getByRole('button', { name: 'Close' }).last().click();
      await page
        .getByRole('row', { name: /stream\.completed/ })
        .locator('[data-state=delivered]')
        .waitFor();

      const before = receiver.at('/story').length;
      await page
        .getByRole('row', { name: /stream\.ready/ })
        .getByRole('button', { name: 'Resend' })
        .click();
      await expect.poll(() => receiver.at('/story').length).toBe(before + 1);
      await page.getByRole('heading', { name: 'Success' }).waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);

      const completed = page.getByRole('row', { name: /stream\.completed/ });
      await completed.getByRole('link', { name: `stream ${stream.streamId.slice(0, 8)}` }).waitFor();
      await completed.getByText('200', { exact: true }).waitFor();
      await completed.getByRole('button', { name: 'Payload' }).click();
      await dialog.getByText(`"streamId": "${stream.streamId}"`).first().waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
      await page.keyboard.press('Escape');
      await page.getByLabel('Event', { exact: true }).selectOption('stream.completed');
      await page.getByRole('row', { name: /ping/ }).waitFor({ state: 'detached' });
      await page.getByLabel('Event', { exact: true }).selectOption('');
      await page.getByLabel('Answer', { exact: true }).selectOption('5xx');
      await page.getByText('No deliveries.').waitFor();
      await page.getByLabel('Answer', { exact: true }).selectOption('2xx');
      await page.getByRole('row', { name: /ping/ }).waitFor();
      await page.getByLabel('From', { exact: true }).fill('2100-01-01T00:00');
      await page.getByText('No deliveries.').waitFor();
      await page.getByLabel('From', { exact: true }).fill('2020-01-01T00:00');
      await page.getByLabel('To', { exact: true }).fill('2100-01-01T00:00');
      await page.getByRole('row', { name: /ping/ }).waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
      await page.getByLabel('Stream id').fill('00000000-0000-4000-8000-000000000000');
      await page.getByRole('button', { name: 'Search' }).click();
      await page.getByText('No deliveries.').waitFor();
      await page.getByRole('button', { name: 'Clear' }).click();
      await page.getByRole('row', { name: /ping/ }).waitFor();

      await page.getByRole('button', { name: 'Delete', exact: true }).click();
      await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
      await page.getByText('No endpoint yet.').waitFor();
    });

    test('reads "No attempt yet" while the first delivery to an endpoint is pending', async () => {
      const { url } = given();
      const receiver = await Receiver.start();
      onTestFinished(() => receiver.close());
      receiver.answer('/slow', () => {});
      const body = { kind: 'api-key', role: 'user', label: 'who waits' };
      const { secret: key } = (await call(url, '/credential-service/api/v1/credentials', { method: 'POST', body })).body;
      const endpoints = '/notification-service/api/v1/webhook-endpoints';
      await call(url, endpoints, { method: 'PUT', key, body: { url: receiver.url('/slow'), events: ['*'] } });
      await upload(url, { streamConfigurationTemplateId: PING_TEMPLATE }, 'pending', { key });
      await expect.poll(() => receiver.at('/slow').length).toBeGreaterThan(0);
      const page = await given().visit({ key, at: 'webhooks' });
      const row = page.getByRole('row').filter({ hasText: receiver.url('/slow') });
      await row.getByText('No attempt yet').waitFor();
      await page.getByLabel('Health').selectOption('No attempt yet');
      await row.waitFor();
      await page.getByLabel('Health').selectOption('Healthy');
      await page.getByText('No endpoint matches.').waitFor();
    });

    test('offers a slim payload and how long to retry, and keeps both when the endpoint is edited', async () => {
      const { url } = given();
      const receiver = await Receiver.start();
      onTestFinished(() => receiver.close());
      receiver.answerStatus('/slim', 200);
      const { body: user } = await call(url, '/credential-service/api/v1/credentials', {
        method: 'POST',
        body: { kind: 'api-key', role: 'user', label: 'Slim receiver' },
      });
      const page = await given().visit({ key: user.secret, at: 'webhooks' });
      await page.getByRole('button', { name: 'New endpoint' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Address').fill(receiver.url('/slim'));
      await dialog.getByLabel('Payload').selectOption('slim');
      await dialog.getByLabel('Retry for').selectOption('6 h');
      expect(await accessibilityFaults(page)).toEqual([]);
      await dialog.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Slim payload: ids and links. Retried for 6 h.').waitFor();
      await page.getByRole('button', { name: 'Edit' }).click();
      expect(await dialog.getByLabel('Payload').inputValue()).toBe('slim');
      expect(await dialog.getByLabel('Retry for').locator('option:checked').innerText()).toBe('As now: 6 h');
      await dialog.getByLabel('Description').fill('Reads the rest itself');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Reads the rest itself').waitFor();
      await page.getByText('Retried for 6 h.').waitFor();
      await upload(url, { streamConfigurationTemplateId: PING_TEMPLATE }, 'x', { key: user.secret });
      const completed = page.getByRole('row', { name: /stream\.completed/ });
      await completed.getByRole('button', { name: 'Payload' }).click();
      await dialog.getByText('tributary.events.v1.SlimEvent').waitFor();
    });

    test('does not call a ping sent while it is pending', async () => {
      const { url } = given();
      const receiver = await Receiver.start();
      onTestFinished(() => receiver.close());
      let answer = (): void => {};
      receiver.answer('/slow', (_, response) => {
        answer = () => void response.writeHead(200).end();
      });
      const { body: user } = await call(url, '/credential-service/api/v1/credentials', {
        method: 'POST',
        body: { kind: 'api-key', role: 'user', label: 'Slow receiver' },
      });
      const { body: endpoint } = await call(url, '/notification-service/api/v1/webhook-endpoints', {
        method: 'PUT',
        key: user.secret,
        body: { url: receiver.url('/slow'), events: ['stream.*'] },
      });
      const page = await given().visit({ key: user.secret, at: `webhooks/${endpoint.id}` });
      await page.getByRole('button', { name: 'Send test' }).click();
      await page.getByText('Ping scheduled.').waitFor();
      const row = page.getByRole('row', { name: /ping/ });
      await row.locator('[data-state=pending]').waitFor();
      await expect.poll(() => receiver.at('/slow').length).toBe(1);
      expect(await page.locator('main').innerText()).not.toMatch(/\bsent\b/i);
      answer();
      await row.locator('[data-state=delivered]').waitFor();
    });

    test('that fail every delivery are shown as failing, and the list can be filtered by that', async () => {
      const { url } = given();
      const receiver = await Receiver.start();
      onTestFinished(() => receiver.close());
      receiver.answer('/broken', (_, response) => response.writeHead(500).end());
      const { body: user } = await call(url, '/credential-service/api/v1/credentials', {
        method: 'POST',
        body: { kind: 'api-key', role: 'user', label: 'failing endpoint' },
      });
      const endpoints = '/notification-service/api/v1/webhook-endpoints';
      for (const path of ['/broken', '/fine'])
        await call(url, endpoints, { method: 'PUT', key: user.secret, body: { url: receiver.url(path), events: ['stream.*'] } });
      await upload(url, { streamConfigurationTemplateId: PING_TEMPLATE }, 'bytes', { key: user.secret });
      const page = await given().visit({ key: user.secret, at: 'webhooks' });
      const broken = page.getByRole('row', { name: /broken/ });
      await broken.locator('[data-state=failing], [data-state=held]').waitFor();
      await broken.getByText(/since .*never succeeded/).waitFor();
      await page.getByRole('row', { name: /fine/ }).locator('[data-state=healthy]').waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
      await page.getByLabel('Health').selectOption('failing');
      await page.getByRole('row', { name: /fine/ }).waitFor({ state: 'detached' });
      await broken.waitFor();
      await broken.getByRole('link').click();
      await page.getByRole('heading', { level: 1 }).locator('[data-state=failing], [data-state=held]').waitFor();
      await page.getByText(/Every attempt has failed since/).waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
    });

    test('that are held say when the next attempt is, and a pending delivery is sent at once on request', async () => {
      const { url } = given();
      const receiver = await Receiver.start();
      onTestFinished(() => receiver.close());
      receiver.answerStatus('/held', 500);
      const body = { kind: 'api-key', role: 'user', label: 'held endpoint' };
      const { secret: key } = (await call(url, '/credential-service/api/v1/credentials', { method: 'POST', body })).body;
      const draft = { url: receiver.url('/held'), events: ['stream.*'] };
      const { body: endpoint } = await call(url, '/notification-service/api/v1/webhook-endpoints', { method: 'PUT', key, body: draft });
      for (let n = 0; n < 4; n += 1) await upload(url, { streamConfigurationTemplateId: PING_TEMPLATE }, 'bytes', { key });
      const page = await given().visit({ key, at: `webhooks/${endpoint.id}` });
      await page.getByRole('heading', { level: 1 }).locator('[data-state=held]').waitFor();
      await page.getByText(/Its deliveries are held/).waitFor();
      await upload(url, { streamConfigurationTemplateId: PING_TEMPLATE }, 'bytes', { key });
      const row = page.getByRole('row', { name: /stream\.ready.*held \(status 500\)/ }).first();
      await row.waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
      receiver.answerStatus('/held', 204);
      await row.getByRole('button', { name: 'Send now' }).click();
      await page.getByRole('heading', { level: 1 }).locator('[data-state=healthy]').waitFor();
    });

    test('of any owner are listed for an administrator, with the same filter and pages', async () => {
      const { url } = given();
      const receiver = await Receiver.start();
      onTestFinished(() => receiver.close());
      receiver.answer('/broken', (_, response) => response.writeHead(500).end());
      const { body: user } = await call(url, '/credential-service/api/v1/credentials', {
        method: 'POST',
        body: { kind: 'api-key', role: 'user', label: 'has a failing endpoint' },
      });
      const draft = { url: receiver.url('/broken'), events: ['stream.*'] };
      await call(url, '/notification-service/api/v1/webhook-endpoints', { method: 'PUT', key: user.secret, body: draft });
      await upload(url, { streamConfigurationTemplateId: PING_TEMPLATE }, 'bytes', { key: user.secret });
      const page = await given().visit({ at: 'webhooks?health=failing' });
      await page.getByLabel('Owner', { exact: true }).fill(user.subject);
      await page.getByRole('button', { name: 'Filter' }).click();
      const row = page.getByRole('row', { name: /broken/ });
      await row.locator('[data-state=failing], [data-state=held]').waitFor();
      await row.getByRole('link').click();
      await page.getByText(/Every attempt has failed since/).waitFor();
      await page
        .getByRole('row', { name: /stream\.completed/ })
        .getByRole('button', { name: 'Payload' })
        .click();
      await page.getByRole('dialog').getByText('"stream.completed"').waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Disable' }).click();
      await page.getByText(/It receives no events/).waitFor();
      await page.getByRole('link', { name: 'Webhooks' }).last().click();
      await page
        .getByRole('row', { name: /broken/ })
        .locator('[data-state=disabled]')
        .waitFor();
      expect(await page.getByLabel('Owner', { exact: true }).inputValue()).toBe(user.subject);
    });

    test('with a forbidden address are refused in the window, with the reason', async () => {
      const page = await given().visit({ at: 'webhooks' });
      await page.getByRole('button', { name: 'New endpoint' }).click();
      await page.getByLabel('Address').fill('http://10.0.0.1/');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('dialog').getByText('WEBHOOK_CONFIGURATION_ERROR').waitFor();
    });
  });
};

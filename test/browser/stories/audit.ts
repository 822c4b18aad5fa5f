import { describe, expect, test } from 'vitest';
import { call, PING_TEMPLATE, streamEnd, upload } from '../../e2e/client.ts';
import { accessibilityFaults, type Site } from '../site.ts';

/** An auditor reads the log, sees what was, and verifies. */
export const auditStories = (given: () => Site): void => {
  describe('audit', () => {
    test('the log is filtered, an event is shown in full, its event stream as it was, and all of it verifies', async () => {
      const { url } = given();
      const { body: auditor } = await call(url, '/credential-service/api/v1/credentials', {
        method: 'POST',
        body: { kind: 'api-key', role: 'auditor', label: 'an auditor' },
      });
      const { body: stream } = await upload(url, { streamConfigurationTemplateId: PING_TEMPLATE, persist: 'true' }, 'audited');
      await streamEnd(url, stream.streamId);
      const page = await given().visit({ key: auditor.secret, at: 'audit' });
      await page.getByLabel('Event stream', { exact: true }).fill(`stream-${stream.streamId}`);
      await page.getByRole('button', { name: 'Filter' }).click();
      await expect.poll(() => page.getByRole('row').count()).toBe(6);
      expect(await accessibilityFaults(page)).toEqual([]);

      await page.getByRole('link', { name: 'UploadCompleted' }).click();
      await page.getByRole('heading', { name: 'UploadCompleted' }).waitFor();
      await expect.poll(() => page.getByRole('region', { name: 'Data of the event', exact: true }).innerText()).toContain('"sha256"');

      await page.getByRole('link', { name: `stream-${stream.streamId}` }).click();
      await page.getByRole('heading', { name: 'State at revision 4' }).waitFor();
      await expect.poll(() => page.getByRole('region', { name: 'State', exact: true }).innerText()).toContain('COMPLETED');
      const slider = page.getByRole('slider');
      await slider.focus();
      await page.keyboard.press('Home');
      await page.getByRole('heading', { name: 'State at revision 0' }).waitFor();
      expect(await page.getByRole('region', { name: 'State', exact: true }).innerText()).not.toContain('COMPLETED');
      await page.keyboard.press('ArrowRight');
      await page.getByRole('heading', { name: 'What revision 1 has changed' }).waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);

      await page.getByRole('button', { name: 'Verify' }).click();
      await page
        .getByRole('dialog')
        .getByText(/Verified: 5 events, nothing was changed/)
        .waitFor();
    });

    test('the whole log verifies', async () => {
      const page = await given().visit({ at: 'audit' });
      await page.getByRole('button', { name: 'Verify' }).click();
      await page
        .getByRole('dialog')
        .getByText(/Verified: \d+ events/)
        .waitFor();
    });
  });
};

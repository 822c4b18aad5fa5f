import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { streamEnd, TEXT_TEMPLATE, upload } from '../e2e/client.ts';
import { ADMIN_KEY } from '../e2e/server.ts';
import { Receiver } from '../receiver.ts';
import { speechEngineIsHere } from '../speech.ts';
import { cutOff } from './cutOff.ts';
import { FirefoxTab, firefoxIsHere } from './firefox.ts';
import { conversation } from './spoken.ts';

const DIARIZATION_TEMPLATE = '669fee048452492b62cfad39';
const engineIsHere = await speechEngineIsHere();

/** The main path of a new user in Firefox. Chromium drives all other stories. */
describe.runIf(firefoxIsHere())('the dashboard in Firefox', { timeout: 180_000 }, () => {
  let tab: FirefoxTab;

  beforeAll(async () => {
    tab = await FirefoxTab.open({ WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' });
  }, 60_000);

  afterAll(() => tab?.close());

  test('signs in with an API key, and keeps the session over a reload', async () => {
    await tab.go('/');
    await tab.text('h1', 'Sign in');
    await tab.page.locator('input[type=password]').fill(ADMIN_KEY);
    await tab.click('button', 'Sign in');
    await tab.text('h1', 'Library');
    await tab.page.reload();
    await tab.text('h1', 'Library');
  });

  test('uploads a file, and shows its results and its page', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tributary-firefox-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, 'praise.txt');
    writeFileSync(file, 'I love this product. Thank you, that was wonderful!');
    await tab.go(`/#/upload?template=${TEXT_TEMPLATE}`);
    await tab.text('h1', 'Upload');
    await tab.choose(file);
    await tab.click('label', 'Summary');
    await tab.click('button', 'Upload');
    await tab.text('h1', 'praise.txt');
    await tab.text('h1', 'Completed');
    await tab.text('main', 'Thank you, that was wonderful!');
    await tab.go('/#/streams');
    await tab.text('table', 'praise.txt');
  });

  test.runIf(engineIsHere)('corrects a word, names a speaker, finds the transcript, offers it as a document, and shares it', async () => {
    const query = { streamConfigurationTemplateId: DIARIZATION_TEMPLATE, name: 'Two people', splitStereo: 'true', persist: 'true' };
    const { body } = await upload(tab.server.url, query, await conversation());
    await streamEnd(tab.server.url, body.streamId, 60_000);
    await tab.go(`/#/streams/${body.streamId}`);
    await tab.click('button', 'Speaker A');
    await tab.page.keyboard.type('Anne');
    await tab.page.keyboard.press('Enter');
    await tab.text('.transcript', 'Anne');
    await tab.click('button', 'Edit');
    await tab.click('.word', 'Hello,');
    await tab.page.waitForSelector('.utterance textarea');
    await tab.page.keyboard.type('Goodbye');
    await tab.page.keyboard.press('Enter');
    await tab.text('.transcript', 'Goodbye, world');
    await tab.click('button', 'Anne');
    await tab.page.keyboard.type('Anna');
    await tab.page.keyboard.press('Enter');
    await tab.click('button', 'Anna');
    await tab.page.keyboard.press('Escape');
    await tab.click('button', 'Undo');
    await tab.text('.transcript', 'Anne');
    await tab.click('button', 'Done');
    await tab.click('button', 'Export');
    await tab.text('section', 'Word document (DOCX)');
    await tab.page.keyboard.press('Escape');
    await tab.click('button', 'Share');
    await tab.click('button', 'Make a link');
    const link = await (await tab.page.waitForSelector('dialog .note code'))?.evaluate((code) => code.textContent);
    await tab.go('/#/streams?q=goodbye');
    await tab.text('.passage', 'Goodbye, world');
    await tab.go(new URL(link ?? '').pathname);
    await tab.text('h1', 'Two people');
    await tab.text('.utterance', 'Goodbye, world');
  });

  test('creates a webhook endpoint, and shows the delivery of a test event', async () => {
    const receiver = await Receiver.start();
    onTestFinished(() => receiver.close());
    await tab.go('/#/webhooks');
    await tab.click('button', 'New endpoint');
    await tab.fill('Address', receiver.url('/firefox'));
    await tab.click('button', 'Save');
    await tab.text('h1', receiver.url('/firefox'));
    await tab.click('button', 'Send test');
    await tab.page.locator('td [data-state=delivered]').wait();
    expect(receiver.at('/firefox')[0]?.event).toMatchObject({ type: 'ping' });
  });

  test('lists the log, and verifies it', async () => {
    await tab.go('/#/audit');
    await tab.text('table', 'EndpointCreated');
    await tab.click('button', 'Verify');
    await tab.text('dialog', 'nothing was changed');
  });

  test('searches the API documents, opens an operation, and sends a request with the credential of the session', async () => {
    await tab.go('/docs');
    await tab.page.locator('[name=q]').fill('getOwnCredential');
    await tab.click('button', 'Search');
    await tab.page.locator('.results a').click();
    const operation = '#operations-Credentials-getOwnCredential';
    await tab.page.locator(`${operation} .try-out__btn`).click();
    await tab.page.locator(`${operation} .execute`).click();
    await tab.text(`${operation} .live-responses-table`, '200');
  });

  test('neither scrolls sideways nor cuts off a column or button on any page at six widths', async () => {
    const wide: string[] = [];
    for (const place of ['streams', 'upload', 'templates', 'processors', 'webhooks', 'usage', 'credentials', 'audit', 'operations']) {
      await tab.go(`/#/${place}`);
      await tab.page.waitForFunction(() => document.querySelector('h1') !== null && document.querySelector('.loading') === null);
      for (const width of [1440, 1024, 820, 768, 700, 390]) {
        await tab.page.setViewport({ width, height: 900 });
        await tab.page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
        wide.push(...(await tab.page.evaluate(cutOff)).map((element) => `${place} at ${width}: ${element}`));
      }
    }
    expect(wide).toEqual([]);
  });

  test('has sent no request elsewhere, broken no policy and thrown no error in all of this', () => {
    expect(tab.faults).toEqual([]);
  });
});

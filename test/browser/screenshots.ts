import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { call, PING_TEMPLATE, streamEnd, TEXT_TEMPLATE, upload } from '../e2e/client.ts';
import { Receiver } from '../receiver.ts';
import { chromiumIsHere, openSite, type Site } from './site.ts';
import { conversation } from './spoken.ts';

/** `npm run screenshots`: every page at three widths, light and dark, for people to look at. `ONLY=streams` takes those with that in the name. */

const FOLDER = 'screenshots';
const DIARIZATION_TEMPLATE = '669fee048452492b62cfad39';
const WIDTHS: Readonly<Record<string, Pick<BrowserContextOptions, 'viewport' | 'deviceScaleFactor'>>> = {
  desk: { viewport: { width: 1440, height: 900 } },
  tablet: { viewport: { width: 768, height: 1024 } },
  phone: { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2 },
};
const FORMS = Object.entries(WIDTHS).flatMap(([name, width]) =>
  (['light', 'dark'] as const).map((colorScheme) => [`${name}-${colorScheme}`, { ...width, colorScheme }] as const),
);

interface Shot {
  readonly name: string;
  /** Place behind the `#`. */
  readonly at: string;
  readonly key?: null;
  /** Actions before the screenshot. */
  readonly prepare?: (page: Page) => Promise<void>;
}

const uploadText = async (page: Page): Promise<void> => {
  await page.getByLabel('Or type a text').fill('I love this. It was terrible.');
  await page.getByRole('checkbox', { name: 'Summary', exact: true }).check();
  await page.getByRole('button', { name: 'Upload', exact: true }).click();
  await page.getByRole('region', { name: 'Summary' }).waitFor();
};

/** Data for the pages to show. */
const furnish = async ({ url }: Site): Promise<Shot[]> => {
  const receiver = await Receiver.start();
  receiver.answer('/hook', (_, response) => response.writeHead(Math.random() < 0.2 ? 500 : 200).end('{"accepted":true}'));
  const { body: endpoint } = await call(url, '/notification-service/api/v1/webhook-endpoints', {
    method: 'PUT',
    body: { url: receiver.url('/hook'), events: ['*'], description: 'The ticket system' },
  });
  const text = 'I love this product. Delivery was late and I am very angry. Anna will call on Monday. Thank you, that was wonderful!';
  for (const name of ['Support call 17', 'Quarterly review', 'Interview with Ben']) {
    const { body } = await upload(
      url,
      { streamConfigurationTemplateId: TEXT_TEMPLATE, name, persist: 'true', summary: 'true', sentimentAnalysis: 'true' },
      text,
    );
    await streamEnd(url, body.streamId);
  }
  const { streamId } = (await upload(url, { streamConfigurationTemplateId: PING_TEMPLATE, name: 'Ping' }, 'hello')).body;
  await streamEnd(url, streamId);
  const spoken = await upload(
    url,
    {
      streamConfigurationTemplateId: DIARIZATION_TEMPLATE,
      name: 'Support call 18',
      splitStereo: 'true',
      persist: 'true',
      summary: 'true',
      sentimentAnalysis: 'true',
    },
    await conversation(),
  );
  if (spoken.status !== 200) throw new Error(spoken.text);
  await streamEnd(url, spoken.body.streamId, 60_000);
  return [
    { name: 'sign-in', at: '', key: null },
    { name: 'streams', at: 'streams' },
    { name: 'streams-empty', at: 'streams?state=FAILED' },
    { name: 'stream', at: `streams/${spoken.body.streamId}`, prepare: (page) => page.getByLabel('The recording').waitFor() },
    { name: 'stream-bytes', at: `streams/${streamId}` },
    { name: 'stream-unknown', at: 'streams/none' },
    { name: 'upload', at: 'upload' },
    { name: 'upload-text', at: `upload?template=${TEXT_TEMPLATE}` },
    { name: 'upload-link', at: 'upload', prepare: (page) => page.getByRole('radio', { name: 'Link' }).check() },
    { name: 'upload-captions', at: 'upload', prepare: (page) => page.getByRole('radio', { name: 'Live captions' }).check() },
    { name: 'processors', at: 'processors' },
    { name: 'processors-one', at: 'processors/llm' },
    {
      name: 'processors-declare',
      at: 'processors',
      prepare: (page) => page.getByRole('button', { name: 'Declare a processor' }).click(),
    },
    { name: 'streams-many', at: 'streams', prepare: (page) => page.getByRole('button', { name: 'Run many again' }).click() },
    { name: 'upload-run', at: `upload?template=${TEXT_TEMPLATE}`, prepare: uploadText },
    { name: 'credentials', at: 'credentials' },
    { name: 'credentials-issue', at: 'credentials', prepare: (page) => page.getByRole('button', { name: 'Issue credential' }).click() },
    { name: 'audit', at: 'audit' },
    { name: 'audit-event-stream', at: `audit/event-streams/stream-${streamId}` },
    { name: 'operations', at: 'operations' },
    { name: 'usage', at: 'usage' },
    { name: 'templates', at: 'templates' },
    { name: 'templates-one', at: 'templates/668115d123bca7e3509723d4' },
    {
      name: 'templates-patch',
      at: 'templates/7472696275746172790a7478',
      prepare: (page) => page.getByRole('button', { name: 'Change settings' }).click(),
    },
    { name: 'webhooks', at: 'webhooks' },
    { name: 'webhooks-new', at: 'webhooks', prepare: (page) => page.getByRole('button', { name: 'New endpoint' }).click() },
    { name: 'webhooks-endpoint', at: `webhooks/${endpoint.id}` },
    { name: 'usage-empty', at: 'usage?subject=00000000-0000-4000-8000-000000000000' },
  ];
};

describe.runIf(chromiumIsHere())('screenshots', () => {
  let site: Site;

  beforeAll(async () => {
    site = await openSite({ WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8', WEBHOOK_RETRY_BASE_MS: '200' });
  });

  afterAll(() => site.close());

  test('of every page', async () => {
    mkdirSync(FOLDER, { recursive: true });
    const shots = (await furnish(site)).filter(({ name }) => name.includes(process.env.ONLY ?? ''));
    for (const { name, at, key, prepare } of shots) {
      for (const [form, context] of FORMS) {
        const page = await site.visit({ at, context, ...(key === null && { key }) });
        await page.getByRole('heading', { level: 1 }).waitFor();
        await page.waitForLoadState('networkidle');
        await page.waitForFunction(() => !document.querySelector('.loading'));
        await prepare?.(page);
        await page.screenshot({ path: join(FOLDER, `${name}-${form}.png`), fullPage: true });
        await page.context().close();
      }
    }
  });
});

import type { Page } from 'playwright-core';
import { call, PING_TEMPLATE, streamEnd, TEXT_TEMPLATE, upload } from '../e2e/client.ts';
import { slowUpload } from '../e2e/live.ts';
import { Receiver } from '../receiver.ts';
import { speechEngineIsHere } from '../speech.ts';
import type { Site } from './site.ts';
import { conversation } from './spoken.ts';
import { openMoreSettings } from './uploadForm.ts';

/** Something that a user can look at: a page, or a dialog of it. */
export interface View {
  readonly name: string;
  /** Place behind the `#`. */
  readonly at: string;
  /** What a user does to see it: opens a dialog, or chooses something. */
  readonly open?: (page: Page) => Promise<void>;
  /** Shown to those who have not signed in. */
  readonly signedOut?: true;
}

export interface Views {
  readonly all: readonly View[];
  readonly close: () => Promise<void>;
}

const DIARIZATION_TEMPLATE = '669fee048452492b62cfad39';
const LIVE_TEMPLATE = '670ba9e0efa59fe6aecd56f1';
const ROMANIAN_TEMPLATE = '678e26e695f8f5742e8718f4';
const TRANSCRIPTION = 'tech.vatis.schema.stream.processor.messages.transcription.TranscriptionResponseDto';
const TRANSCRIPTION_TEMPLATE = '668115d123bca7e3509723d4';
const TEXT = 'I love this product. Delivery was late and I am very angry. Anna will call on Monday. Thank you, that was wonderful!';

/** Names that callers choose may be one word that is wider than a phone. */
const LONG_NAME = `recording_${'of_a_long_conversation_'.repeat(6)}`;

const REQUEST_ID = '11111111-1111-4111-8111-111111111111';
const OTHER_ID = '22222222-2222-4222-8222-222222222222';

/** Answers requests to a path of the server from now on, until the next view is shown. */
const answer = async (page: Page, path: string, json: object): Promise<void> => {
  await page.route(path, (route) => route.fulfill({ json }));
};

const click =
  (name: string, row?: RegExp) =>
  async (page: Page): Promise<void> => {
    const scope = row === undefined ? page.locator('main') : page.getByRole('row', { name: row }).first();
    await scope.getByRole('button', { name, exact: true }).first().click();
  };

const dialog = (button: string, row?: RegExp) => async (page: Page) => {
  await click(button, row)(page);
  await page.getByRole('dialog').waitFor();
};

const choose = (radio: string) => (page: Page) => page.getByRole('radio', { name: radio }).check();

const selectAll = async (page: Page): Promise<void> => page.getByLabel('Select all on this page').check();

const bulk = (button: RegExp) => async (page: Page) => {
  await selectAll(page);
  await page.getByRole('button', { name: button }).click();
  await page.getByRole('dialog').waitFor();
};

/** Fills a server with things to look at, and lists every page and every dialog of the dashboard. */
export const furnish = async ({ url }: Site): Promise<Views> => {
  const receiver = await Receiver.start();
  let requests = 0;
  receiver.answer('/hook', (_, response) => response.writeHead(requests++ % 4 === 3 ? 500 : 200).end('{"accepted":true}'));
  receiver.answerStatus('/broken', 500);
  const put = async (path: string, body: object) => (await call(url, path, { method: 'PUT', body })).body;
  const endpoint = await put('/notification-service/api/v1/webhook-endpoints', {
    ...{ url: receiver.url('/hook'), events: ['*'], description: 'The ticket system' },
  });
  const broken = await put('/notification-service/api/v1/webhook-endpoints', {
    ...{ url: receiver.url('/broken'), events: ['stream.failed'], payload: 'slim' },
  });
  const configuration = '/stream-configuration-service/api/v1';
  const processor = await put(`${configuration}/processor-declarations`, {
    ...{ name: 'Redaction', description: 'Removes names.', url: receiver.url('/process'), mode: 'batch' },
    ...{ inputSchema: 'string', outputSchema: 'string' },
  });
  const template = await put(`${configuration}/stream-configuration-templates`, {
    ...{ name: `Summary_${LONG_NAME}`, dataSourceSchema: 'string' },
    processors: [
      { id: 'redact', processorDeclarationId: processor.id },
      { id: 'llm', processorDeclarationId: 'llm', previousProcessorId: 'redact', properties: { summary: { enabled: true } } },
    ],
  });
  receiver.answer('/captions', () => {});
  const captioner = await put(`${configuration}/processor-declarations`, {
    ...{ name: 'Captioner', url: receiver.url('/captions'), mode: 'live', inputSchema: 'bytes' },
    ...{ outputSchema: TRANSCRIPTION, operationType: 'REAL_TIME_TRANSCRIPTION' },
  });
  const captions = await put(`${configuration}/stream-configuration-templates`, {
    ...{ name: 'Captions', dataSourceSchema: 'bytes' },
    processors: [{ id: 'captioner', processorDeclarationId: captioner.id, egress: { persist: true, sink: true, tags: [] } }],
  });
  const gone = await put(`${configuration}/processor-declarations`, {
    ...{ name: 'Gone soon', url: receiver.url('/process'), mode: 'batch', inputSchema: 'string', outputSchema: 'string' },
  });
  const refused = await put(`${configuration}/stream-configuration-templates`, {
    ...{ name: 'Broken chain', dataSourceSchema: 'string', processors: [{ id: 'gone', processorDeclarationId: gone.id }] },
  });
  await call(url, `${configuration}/processor-declarations/${gone.id}`, { method: 'DELETE' });
  await call(url, `${configuration}/stream-configuration-templates/${LIVE_TEMPLATE}`, {
    method: 'PATCH',
    body: { jsonPatches: [{ op: 'replace', path: 'processors/0/properties/utteranceEndSilence', value: 700 }] },
  });
  const changed = await call(url, `${configuration}/stream-configuration-templates/${ROMANIAN_TEMPLATE}?scope=builtin`, {
    method: 'PATCH',
    body: { jsonPatches: [{ op: 'replace', path: 'sentimentAnalysis', value: true }] },
  });
  if (changed.status !== 200) throw new Error(changed.text);
  const ended = async (query: Record<string, string>, body: string | Buffer): Promise<string> => {
    const { status, text, body: stream } = await upload(url, query, body);
    if (status !== 200) throw new Error(text);
    await streamEnd(url, stream.streamId, 60_000);
    return stream.streamId;
  };
  const asText = { streamConfigurationTemplateId: TEXT_TEMPLATE, persist: 'true', summary: 'true', sentimentAnalysis: 'true' };
  for (const name of ['Quarterly review', 'Interview with Ben']) await ended({ ...asText, name }, TEXT);
  const text = await ended({ ...asText, name: 'Support call 17', ask0: 'Who will call?' }, TEXT);
  const failed = await ended({ ...asText, name: LONG_NAME }, Buffer.from([0xff]));
  const bytes = await ended({ streamConfigurationTemplateId: PING_TEMPLATE, name: 'Ping' }, 'hello');
  const expired = await ended({ ...asText, name: 'Deleted' }, TEXT);
  await call(url, `/stream-service/api/v1/streams/${expired}`, { method: 'DELETE' });
  const running = crypto.randomUUID();
  const open = slowUpload(url, { streamConfigurationTemplateId: PING_TEMPLATE, id: running, name: 'Being uploaded' });
  open.answered.catch(() => undefined);
  open.send('first');
  // The server ends an upload that sends less than 128 bytes in 30 s.
  const sending = setInterval(() => open.send('more'.repeat(64)), 10_000);
  const spoken = (await speechEngineIsHere())
    ? await ended(
        { ...asText, streamConfigurationTemplateId: DIARIZATION_TEMPLATE, splitStereo: 'true', name: 'Support call 18' },
        await conversation(),
      )
    : null;
  const { body: events } = await call(url, `/audit-service/api/v1/events?eventStream=stream-${text}`);
  const all: View[] = [
    { name: 'sign-in', at: '', signedOut: true },
    { name: 'not-found', at: 'nowhere' },

    { name: 'streams', at: 'streams' },
    { name: 'streams-setup', at: 'streams', open: (page) => page.getByText(/^\d things to set up$/).click() },
    { name: 'streams-empty', at: 'streams?nameContains=nothing' },
    { name: 'streams-selected', at: 'streams', open: selectAll },
    { name: 'streams-delete', at: 'streams', open: bulk(/^Delete data of/) },
    { name: 'streams-run', at: 'streams', open: bulk(/^Run \d+ streams? again/) },
    { name: 'streams-run-many', at: 'streams', open: dialog('Run many again') },
    { name: 'streams-run-stop', at: 'streams', open: stopRunningAgain },
    { name: 'stream-text', at: `streams/${text}` },
    { name: 'stream-failed', at: `streams/${failed}` },
    { name: 'stream-bytes', at: `streams/${bytes}` },
    { name: 'stream-expired', at: `streams/${expired}` },
    { name: 'stream-running', at: `streams/${running}` },
    { name: 'stream-waiting', at: `streams/${running}`, open: waitForEngine },
    { name: 'stream-unknown', at: 'streams/none' },
    { name: 'stream-rename', at: `streams/${text}`, open: dialog('Rename') },
    { name: 'stream-keep', at: `streams/${text}`, open: dialog('Change') },
    { name: 'stream-run-again', at: `streams/${text}`, open: dialog('Run again') },
    { name: 'stream-delete', at: `streams/${text}`, open: dialog('Delete data') },
    { name: 'stream-cancel', at: `streams/${running}`, open: dialog('Cancel stream') },
    { name: 'stream-earlier', at: `streams/${text}?asOf=1` },
    ...(spoken === null
      ? []
      : [
          { name: 'stream-spoken', at: `streams/${spoken}`, open: (page: Page) => page.getByLabel('The recording').waitFor() },
          { name: 'stream-share', at: `streams/${spoken}`, open: dialog('Share') },
          { name: 'stream-name', at: `streams/${spoken}`, open: click('Speaker B') },
          { name: 'stream-edit', at: `streams/${spoken}`, open: correct },
          { name: 'stream-export', at: `streams/${spoken}`, open: click('Export') },
          { name: 'audit-correction', at: `audit/events/${await corrected(url, spoken)}` },
        ]),

    { name: 'upload', at: 'upload' },
    { name: 'upload-more', at: `upload?template=${TRANSCRIPTION_TEMPLATE}` },
    { name: 'upload-refused', at: `upload?template=${refused.id}`, open: (page) => page.getByText(/^Why .* cannot run here/).click() },
    { name: 'upload-text', at: `upload?template=${TEXT_TEMPLATE}` },
    { name: 'upload-link', at: 'upload', open: choose('Link') },
    { name: 'upload-captions', at: 'upload', open: choose('Live captions') },
    { name: 'upload-listening', at: 'upload', open: listen(captions.id) },
    { name: 'upload-webhook', at: `upload?template=${TRANSCRIPTION_TEMPLATE}`, open: click('Add a webhook') },
    { name: 'upload-vocabulary', at: `upload?template=${TRANSCRIPTION_TEMPLATE}`, open: dialog('New vocabulary') },
    { name: 'upload-redaction', at: `upload?template=${TRANSCRIPTION_TEMPLATE}`, open: redact },
    {
      ...{ name: 'upload-command', at: `upload?template=${TRANSCRIPTION_TEMPLATE}` },
      open: (page) => page.getByText('Show the curl command').click(),
    },
    { name: 'upload-done', at: `upload?template=${TEXT_TEMPLATE}`, open: uploadText },
    { name: 'upload-several', at: `upload?template=${TEXT_TEMPLATE}`, open: uploadSeveral },

    { name: 'templates', at: 'templates' },
    { name: 'templates-new', at: 'templates', open: dialog('New template') },
    { name: 'template', at: 'templates/668115d123bca7e3509723d4' },
    { name: 'template-refused', at: `templates/${refused.id}` },
    { name: 'template-own', at: `templates/${template.id}` },
    { name: 'template-settings', at: `templates/${TEXT_TEMPLATE}`, open: dialog('Change settings') },
    { name: 'template-preview', at: `templates/${TEXT_TEMPLATE}`, open: preview },
    { name: 'template-copy', at: `templates/${LIVE_TEMPLATE}` },
    { name: 'template-reset', at: `templates/${LIVE_TEMPLATE}`, open: dialog('Reset to built-in') },
    { name: 'template-edit-for-all', at: `templates/${TEXT_TEMPLATE}`, open: dialog('Edit for all users') },
    { name: 'template-reset-for-all', at: `templates/${ROMANIAN_TEMPLATE}`, open: dialog('Reset for all users') },
    { name: 'template-edit', at: `templates/${template.id}`, open: dialog('Edit') },
    { name: 'template-json', at: `templates/${template.id}`, open: (page) => dialog('Edit')(page).then(() => choose('JSON')(page)) },
    { name: 'template-duplicate', at: `templates/${template.id}`, open: dialog('Duplicate') },
    { name: 'template-delete', at: `templates/${template.id}`, open: dialog('Delete') },

    { name: 'processors', at: 'processors' },
    { name: 'processors-declare', at: 'processors', open: dialog('Declare a processor') },
    { name: 'processor', at: 'processors/llm' },
    { name: 'processor-own', at: `processors/${processor.id}` },
    { name: 'processor-version', at: `processors/${processor.id}`, open: dialog('New version') },
    { name: 'processor-rotate', at: `processors/${processor.id}`, open: dialog('Rotate secret') },
    { name: 'processor-secret', at: `processors/${processor.id}`, open: rotateProcessor },
    { name: 'processor-delete', at: `processors/${processor.id}`, open: dialog('Delete') },

    { name: 'webhooks', at: 'webhooks' },
    { name: 'webhooks-empty', at: 'webhooks?health=disabled' },
    { name: 'webhooks-owner', at: 'webhooks?subject=00000000-0000-4000-8000-000000000000' },
    { name: 'webhooks-new', at: 'webhooks', open: dialog('New endpoint') },
    { name: 'webhook', at: `webhooks/${endpoint.id}` },
    { name: 'webhook-failing', at: `webhooks/${broken.id}` },
    { name: 'webhook-attempts', at: `webhooks/${endpoint.id}`, open: (page) => page.locator('.attempts summary').first().click() },
    { name: 'webhook-payload', at: `webhooks/${endpoint.id}`, open: dialog('Payload', /stream\.completed/) },
    {
      name: 'webhook-edit',
      at: `webhooks/${endpoint.id}`,
      open: (page) => dialog('Edit')(page).then(() => page.getByText('Headers and filter').click()),
    },
    { name: 'webhook-recover', at: `webhooks/${endpoint.id}`, open: dialog('Recover') },
    { name: 'webhook-rotate', at: `webhooks/${endpoint.id}`, open: dialog('Rotate') },
    { name: 'webhook-delete', at: `webhooks/${endpoint.id}`, open: dialog('Delete') },

    { name: 'usage', at: 'usage' },
    { name: 'usage-empty', at: 'usage?subject=00000000-0000-4000-8000-000000000000' },

    { name: 'credentials', at: 'credentials' },
    { name: 'credentials-issue', at: 'credentials', open: dialog('Issue credential') },
    { name: 'credentials-secret', at: 'credentials', open: issue },
    { name: 'credentials-rotate', at: 'credentials', open: dialog('Rotate') },
    { name: 'credentials-revoke', at: 'credentials', open: dialog('Revoke') },

    { name: 'users', at: 'users', open: people },
    { name: 'users-change', at: 'users', open: changePerson },
    { name: 'users-erase', at: 'users', open: dialog('Erase') },
    { name: 'settings', at: 'settings' },
    { name: 'settings-key', at: 'settings', open: dialog('New API key') },
    { name: 'settings-sessions', at: 'settings', open: sessions },

    { name: 'audit', at: 'audit' },
    { name: 'audit-empty', at: 'audit?eventStream=stream-none' },
    { name: 'audit-event', at: `audit/events/${events.content[0].id}` },
    { name: 'audit-event-stream', at: `audit/event-streams/stream-${text}` },
    { name: 'audit-verify', at: 'audit', open: verify },
    { name: 'audit-broken', at: 'audit', open: verifyBroken },
    { name: 'audit-erase', at: 'audit', open: dialog('Erase a person') },
    { name: 'audit-erased', at: 'audit', open: erase(url) },

    { name: 'operations', at: 'operations' },
    { name: 'operations-rebuild', at: 'operations', open: dialog('Rebuild', /streams version/) },
    { name: 'operations-rebuild-all', at: 'operations', open: dialog('Rebuild all') },
  ];
  const close = async (): Promise<void> => {
    clearInterval(sending);
    open.breakOff();
    await receiver.close();
  };
  return { all, close };
};

/** Corrects a transcript, and returns the id of the event. */
const corrected = async (url: string, streamId: string): Promise<string> => {
  const path = `/stream-service/api/v1/streams/${streamId}/transcript`;
  const { body, headers } = await call(url, path);
  const edits = [
    { op: 'text', utterance: body.utterances[0].id, text: 'Goodbye, world.' },
    { op: 'name', speaker: body.utterances[0].speaker, name: 'Anna' },
  ];
  await call(url, path, { method: 'PATCH', body: { edits }, headers: { 'If-Match': headers.get('etag') ?? '' } });
  return (await call(url, `/audit-service/api/v1/events?eventStream=transcript-${streamId}`)).body.content[0].id;
};

const redact = async (page: Page): Promise<void> => {
  await page.getByRole('checkbox', { name: 'Redaction' }).check();
  await page.getByRole('group', { name: 'Kinds' }).waitFor();
};

const preview = async (page: Page): Promise<void> => {
  await dialog('Change settings')(page);
  await page.getByRole('dialog').getByRole('checkbox', { name: 'Summary', exact: true }).check();
  await page.getByRole('dialog').getByRole('button', { name: 'Preview' }).click();
  await page.getByRole('dialog').getByRole('table').waitFor();
};

const rotateProcessor = async (page: Page): Promise<void> => {
  await dialog('Rotate secret')(page);
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate secret' }).click();
  await page.getByRole('heading', { name: 'Secret of the processor' }).waitFor();
};

const uploadText = async (page: Page): Promise<void> => {
  await page.getByLabel('Or type a text').fill('I love this. It was terrible.');
  await page.getByRole('checkbox', { name: 'Summary', exact: true }).check();
  await page.getByRole('button', { name: 'Upload', exact: true }).click();
  await page.getByRole('region', { name: 'Summary' }).waitFor();
};

const uploadSeveral = async (page: Page): Promise<void> => {
  const file = (name: string, content: Buffer) => ({ name, mimeType: 'text/plain', buffer: content });
  await page
    .getByLabel('Choose files', { exact: true })
    .setInputFiles([file('first.txt', Buffer.from('Anna called.')), file('broken.txt', Buffer.from([0xff]))]);
  await page.getByRole('checkbox', { name: 'Summary', exact: true }).check();
  await page.getByRole('button', { name: 'Upload 2 files' }).click();
  await page.getByText('All files are uploaded.').waitFor();
  await page
    .getByRole('row', { name: /broken/ })
    .getByText('Failed')
    .waitFor();
};

const issue = async (page: Page): Promise<void> => {
  await dialog('Issue credential')(page);
  await page.getByRole('dialog').getByLabel('Label').fill('To look at');
  await page.getByRole('dialog').getByRole('button', { name: 'Issue', exact: true }).click();
  await page.getByRole('heading', { name: /^Secret of/ }).waitFor();
};

const verify = async (page: Page): Promise<void> => {
  await click('Verify')(page);
  await page.getByRole('dialog').getByText('Head of the log').waitFor();
};

/** Live captions before the first word. */
const listen = (templateId: string) => async (page: Page) => {
  await choose('Live captions')(page);
  await openMoreSettings(page);
  await page.getByLabel('Template').selectOption(templateId);
  await page.getByRole('button', { name: 'Start captions' }).click();
  await page.getByText('Say something.').waitFor();
};

const correct = async (page: Page): Promise<void> => {
  await page.getByRole('button', { name: 'Edit' }).click();
  await page.locator('.word').first().click();
};

const verifyBroken = async (page: Page): Promise<void> => {
  await answer(page, '**/audit-service/api/v1/verify', {
    ...{ ok: false, checked: 41, sealed: '40', verifiedTimestamp: '2026-11-22T10:00:00.000Z', head: null, seal: null },
    firstBroken: { eventStream: `stream-${REQUEST_ID}`, revision: '3', reason: 'The hash does not match the content of the event.' },
  });
  await click('Verify')(page);
  await page.getByRole('dialog').getByText('Broken').waitFor();
};

/** A stage of a running stream whose engine is away. */
const waitForEngine = async (page: Page): Promise<void> => {
  const waits = [{ since: '2026-11-22T10:00:00.000Z', until: null, reason: 'The speech server does not answer.' }];
  await page.route('**/components', async (route) => {
    const seen = await (await route.fetch()).json();
    await route.fulfill({ json: { ...seen, processors: seen.processors.map((one: object) => ({ ...one, state: 'RUNNING' })) } });
  });
  await page.route('**/attempts?*', async (route) => {
    const seen = await (await route.fetch()).json();
    for (const { stages } of seen.content) for (const stage of stages) Object.assign(stage, { state: 'WAITING_FOR_ENGINE', waits });
    await route.fulfill({ json: seen });
  });
  await page.reload();
  await page.getByText('has been waiting for its engine since').waitFor();
};

const erase = (url: string) => async (page: Page) => {
  const body = { kind: 'api-key', role: 'user', label: 'To be erased' };
  const { subject } = (await call(url, '/credential-service/api/v1/credentials', { method: 'POST', body })).body;
  await dialog('Erase a person')(page);
  await page.getByLabel('Owner id', { exact: true }).last().fill(subject);
  await page.getByLabel('Repeat the owner id').fill(subject);
  await page.getByRole('button', { name: 'Erase for good' }).click();
  await page.getByRole('heading', { name: 'Erased' }).waitFor();
};

const stopRunningAgain = async (page: Page): Promise<void> => {
  const refusals = [{ streamId: REQUEST_ID, message: 'The data of this stream were deleted.' }];
  const progress = { queued: 40, waiting: 30, started: 9, refused: 1, refusals };
  const rerun = { requestId: REQUEST_ID, state: 'RUNNING', from: 'llm', reason: null, ...progress };
  await answer(page, '**/streams/rerun?*', { content: [rerun], totalElements: 1 });
  await page.reload();
  await loaded(page);
  await dialog('Stop')(page);
};

/** Stands in for an identity provider, without which there are no people. */
const people = async (page: Page): Promise<void> => {
  const person = {
    ...{ id: REQUEST_ID, kind: 'person', subject: OTHER_ID, name: LONG_NAME, email: `${LONG_NAME}@example.com`, role: 'auditor' },
    ...{
      roleSource: 'administrator',
      chosenRole: 'auditor',
      ownerName: null,
      others: [],
      disabled: false,
      createdTimestamp: '2026-11-22T10:00:00.000Z',
    },
    ...{ lastUsedTimestamp: '2026-11-22T10:00:00.000Z', streams: 1_234, keptBytes: 123_456_789, creditsOfMonth: '123.456' },
  };
  const other = {
    ...person,
    id: OTHER_ID,
    name: null,
    email: null,
    role: null,
    roleSource: null,
    chosenRole: null,
    disabled: true,
    lastUsedTimestamp: null,
  };
  await answer(page, '**/users?*', { content: [person, other], number: 0, size: 20, totalElements: 2, totalPages: 1 });
  await page.reload();
  await loaded(page);
};

const changePerson = async (page: Page): Promise<void> => {
  await people(page);
  await dialog('Change')(page);
};

const sessions = async (page: Page): Promise<void> => {
  const session = { id: REQUEST_ID, device: 'Firefox on Linux', createdTimestamp: '2026-11-22T10:00:00.000Z' };
  const content = [
    { ...session, lastUsedTimestamp: '2026-11-22T11:00:00.000Z', current: true },
    { ...session, id: OTHER_ID, device: null, lastUsedTimestamp: null, current: false },
  ];
  await answer(page, '**/sessions', { content });
  await page.reload();
  await loaded(page);
  await dialog('Sign out everywhere')(page);
};

/** Opens a view in a tab. */
export const show = async (page: Page, { at, open }: View): Promise<void> => {
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  // Leaving a page closes what was opened on it.
  await goTo(page, 'nowhere');
  await goTo(page, at);
  await loaded(page);
  await open?.(page);
  await loaded(page);
};

/** As by a click on a link: the page says within three frames that it is loading. */
const goTo = (page: Page, at: string): Promise<void> =>
  page.evaluate(async (place) => {
    location.hash = `#/${place}`;
    for (let n = 0; n < 3; n++) await new Promise((resolve) => requestAnimationFrame(resolve));
  }, at);

/** Everything has been read, and drawn at the width of its room. */
export const loaded = async (page: Page): Promise<void> => {
  await page.waitForFunction(() => document.querySelector('h1') && !document.querySelector('.loading'));
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
};

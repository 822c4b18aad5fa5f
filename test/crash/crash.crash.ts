import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { StoredEvent } from '../../src/stores/eventStore.ts';
import { call } from '../e2e/client.ts';
import { fakeMongoIsHere } from '../fakes/mongodb/start.ts';
import { clusterForm } from './clusterForm.ts';
import { embeddedForm } from './embeddedForm.ts';
import { examine } from './examine.ts';
import type { Form } from './form.ts';
import { canTrace } from './killing.ts';
import { type Acknowledged, Load } from './load.ts';
import { naiveFold } from './naiveFold.ts';
import { WebhookLoad } from './webhooks.ts';

const KILLS = Number(process.env.KILLS ?? 10);
const isCluster = process.env.FORM === 'cluster';
const CALLERS = 24;
/** Endpoints that the load switches on and off, next to the two that hear of everything. */
const SWITCHED = 6;
/** What is kept is examined at the end: nothing may expire before. */
const settings = {
  RETENTION_EPHEMERAL_S: '86400',
  RETENTION_PERSISTENT_S: '86400',
  WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
  WEBHOOK_RETRY_BASE_MS: '200',
};

const canRun = !isCluster || (await fakeMongoIsHere());

test.skipIf(!canRun)(`${KILLS} kills under load lose nothing that was acknowledged (${isCluster ? 'cluster' : 'embedded'})`, async () => {
  const traced = canTrace();
  if (!traced) console.log('skipped: kills at named points need strace; all kills are at random moments');
  const form = isCluster ? await clusterForm(settings, traced) : embeddedForm(settings, traced);
  let passed = false;
  try {
    await killAndExamine(form);
    passed = true;
  } finally {
    await form.close(passed);
  }
});

const killAndExamine = async (form: Form): Promise<void> => {
  await form.start();
  const url = addressOf(form);
  const webhooks = await WebhookLoad.start(url);
  const endpoints = await Promise.all(Array.from({ length: SWITCHED }, () => webhooks.switched(url)));
  const load = new Load(CALLERS, webhooks.dynamicUrl, endpoints);
  try {
    for (let kill = 1; kill <= KILLS; kill += 1) {
      const victim = await form.victim(kill);
      load.pointAt(form.urls());
      await victim.killed();
      load.pointAt(form.urls());
      console.log(`kill ${kill}, ${victim.name}; ${load.answered} calls acknowledged so far`);
    }
    await form.start();
  } finally {
    await load.stop();
  }
  expect(load.surprises).toEqual([]);
  await everyStreamEnds(form);
  await everyWebhookArrives(form, webhooks, load.acknowledged);
  await form.stop();
  await examine(form, load.acknowledged);
  await webhooks.close();
};

const addressOf = (form: Form): string => {
  const [url] = form.urls();
  if (url === undefined) throw new Error('it runs');
  return url;
};

/** The log is read through the audit service, as whoever wants to know what is due would. */
const everyWebhookArrives = async (form: Form, webhooks: WebhookLoad, { dynamic }: Acknowledged): Promise<void> => {
  const events = await auditedEvents(addressOf(form));
  const deadline = performance.now() + form.patience;
  for (;;) {
    const missing = webhooks.missing(events, dynamic);
    if (missing.length === 0) break;
    expect(performance.now(), `webhooks that are due come: ${missing.length} are missing, ${missing.slice(0, 5).join(', ')}`).toBeLessThan(
      deadline,
    );
    await wait(50);
  }
  console.log(`${webhooks.received} webhooks received: every one that was due is among them`);
};

const auditedEvents = async (url: string): Promise<StoredEvent[]> => {
  const { text } = await call(url, '/audit-service/api/v1/events?order=asc', { headers: { accept: 'application/x-ndjson' } });
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
};

/** Those that were acknowledged, and those that were not: no stream stays READY. By the log, since a list may be behind. */
const everyStreamEnds = async (form: Form): Promise<void> => {
  const deadline = performance.now() + form.patience;
  for (;;) {
    const { streams } = naiveFold(await auditedEvents(addressOf(form)));
    const ready = [...streams].filter(([, { state }]) => state === 'READY').map(([streamId]) => streamId);
    if (ready.length === 0) return;
    expect(performance.now(), `streams come to an end: ${ready.length} are READY, ${ready.slice(0, 5).join(', ')}`).toBeLessThan(deadline);
    await wait(500);
  }
};

import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest';
import { chromiumIsHere, openSite, type Site } from './site.ts';
import { auditStories } from './stories/audit.ts';
import { credentialStories } from './stories/credentials.ts';
import { docsStories } from './stories/docs.ts';
import { frameStories } from './stories/frame.ts';
import { operationsStories } from './stories/operations.ts';
import { speechStories, streamStories } from './stories/streams.ts';
import { uploadStories } from './stories/upload.ts';
import { usageStories } from './stories/usage.ts';
import { webhookStories } from './stories/webhooks.ts';

// One browser and one server for all: a story makes what it needs, under names of its own.
describe.runIf(chromiumIsHere())('the pages in a browser:', async () => {
  let site: Site;

  beforeAll(async () => {
    // Receivers of webhooks listen on loopback here.
    site = await openSite({ WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8', WEBHOOK_RETRY_BASE_MS: '200' });
  }, 60_000);

  afterAll(() => site.close());

  afterEach(async () => {
    expect(await site.takeFaults()).toEqual([]);
  });

  frameStories(() => site);
  streamStories(() => site);
  await speechStories(() => site);
  uploadStories(() => site);
  credentialStories(() => site);
  auditStories(() => site);
  operationsStories(() => site);
  usageStories(() => site);
  webhookStories(() => site);
  docsStories(() => site);
});

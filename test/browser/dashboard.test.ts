import { inBrowser } from './inBrowser.ts';
import type { Site } from './site.ts';
import { auditStories } from './stories/audit.ts';
import { clientStories } from './stories/client.ts';
import { credentialStories } from './stories/credentials.ts';
import { docsStories } from './stories/docs.ts';
import { frameStories } from './stories/frame.ts';
import { operationsStories } from './stories/operations.ts';
import { processorStories } from './stories/processors.ts';
import { templateStories } from './stories/templates.ts';
import { usageStories } from './stories/usage.ts';
import { webhookStories } from './stories/webhooks.ts';

// Other than the defaults, so that pages that name a default fail.
const RETENTION = { RETENTION_EPHEMERAL_S: '90', RETENTION_PERSISTENT_S: '7200', RETENTION_MAX_S: '2592000' };

const stories = (site: () => Site): void => {
  frameStories(site);
  credentialStories(site);
  auditStories(site);
  operationsStories(site);
  templateStories(site);
  processorStories(site);
  usageStories(site);
  webhookStories(site);
  docsStories(site);
  clientStories(site);
};

inBrowser('the pages in a browser:', stories, { environment: async () => RETENTION });

import { auditPage } from './pages/audit/page.tsx';
import { credentialsPage } from './pages/credentials/page.tsx';
import { operationsPage } from './pages/operations/page.tsx';
import { processorsPage } from './pages/processors/page.tsx';
import { settingsPage } from './pages/settings/page.tsx';
import { streamsPage } from './pages/streams/page.tsx';
import { templatesPage } from './pages/templates/page.tsx';
import { uploadPage } from './pages/upload/page.tsx';
import { usagePage } from './pages/usage/page.tsx';
import { usersPage } from './pages/users/page.tsx';
import { webhooksPage } from './pages/webhooks/page.tsx';
import type { Page } from './shell/page.ts';

/** Every page, in the order of the navigation. */
export const PAGES: readonly Page[] = [
  streamsPage,
  uploadPage,
  templatesPage,
  processorsPage,
  webhooksPage,
  usagePage,
  usersPage,
  credentialsPage,
  auditPage,
  operationsPage,
  settingsPage,
];

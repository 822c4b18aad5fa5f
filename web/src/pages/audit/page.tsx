import type { Page } from '../../shell/page.ts';
import { EventPage } from './EventPage.tsx';
import { EventStreamPage } from './EventStreamPage.tsx';
import { Log } from './Log.tsx';

export const auditPage: Page = {
  path: 'audit',
  title: 'Audit',
  icon: 'audit',
  roles: ['auditor', 'admin'],
  Component: ({ rest: [kind, name], query }) => {
    if (kind === 'events' && name !== undefined) return <EventPage id={name} />;
    if (kind === 'event-streams' && name !== undefined) return <EventStreamPage name={name} query={query} />;
    return <Log query={query} />;
  },
};

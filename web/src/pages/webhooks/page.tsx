import type { Page } from '../../shell/page.ts';
import { EndpointList } from './EndpointList.tsx';
import { EndpointPage } from './EndpointPage.tsx';

export const webhooksPage: Page = {
  path: 'webhooks',
  title: 'Webhooks',
  icon: 'webhooks',
  roles: null,
  Component: ({ rest: [id], query }) => (id === undefined ? <EndpointList query={query} /> : <EndpointPage id={id} query={query} />),
};

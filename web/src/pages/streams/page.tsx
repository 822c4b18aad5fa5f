import type { Page } from '../../shell/page.ts';
import { StreamList } from './StreamList.tsx';

export const streamsPage: Page = {
  path: 'streams',
  title: 'Streams',
  icon: 'streams',
  roles: null,
  Component: ({ query }) => <StreamList query={query} />,
};

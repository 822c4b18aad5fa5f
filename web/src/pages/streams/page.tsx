import type { Page } from '../../shell/page.ts';
import { StreamList } from './list/StreamList.tsx';
import { StreamPage } from './StreamPage.tsx';

export const streamsPage: Page = {
  path: 'streams',
  title: 'Library',
  icon: 'library',
  roles: null,
  Component: ({ rest: [streamId], query }) =>
    streamId === undefined ? <StreamList query={query} /> : <StreamPage key={streamId} streamId={streamId} query={query} />,
};

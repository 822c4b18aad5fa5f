import type { Page } from '../../shell/page.ts';
import { ProcessorList } from './ProcessorList.tsx';
import { ProcessorPage } from './ProcessorPage.tsx';

export const processorsPage: Page = {
  path: 'processors',
  title: 'Processors',
  icon: 'processors',
  roles: null,
  Component: ({ rest: [id], query }) => (id === undefined ? <ProcessorList /> : <ProcessorPage key={id} id={id} query={query} />),
};

import type { Page } from '../../shell/page.ts';
import { Usage } from './Usage.tsx';

export const usagePage: Page = {
  path: 'usage',
  title: 'Usage',
  icon: 'usage',
  roles: null,
  Component: ({ query }) => <Usage query={query} />,
};

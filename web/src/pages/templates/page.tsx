import type { Page } from '../../shell/page.ts';
import { TemplateList } from './TemplateList.tsx';
import { TemplatePage } from './TemplatePage.tsx';

export const templatesPage: Page = {
  path: 'templates',
  title: 'Templates',
  icon: 'templates',
  roles: null,
  Component: ({ rest: [id], query }) => (id === undefined ? <TemplateList /> : <TemplatePage id={id} query={query} />),
};

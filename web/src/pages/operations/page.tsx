import type { Page } from '../../shell/page.ts';
import { Operations } from './Operations.tsx';

export const operationsPage: Page = {
  path: 'operations',
  title: 'Operations',
  icon: 'operations',
  roles: ['admin'],
  Component: Operations,
};

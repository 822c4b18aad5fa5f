import type { Page } from '../../shell/page.ts';
import { CredentialList } from './CredentialList.tsx';

export const credentialsPage: Page = {
  path: 'credentials',
  title: 'Credentials',
  icon: 'credentials',
  roles: ['admin'],
  Component: ({ query }) => <CredentialList query={query} />,
};

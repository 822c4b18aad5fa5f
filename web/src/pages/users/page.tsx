import type { Page } from '../../shell/page.ts';
import { UserList } from './UserList.tsx';

export const usersPage: Page = {
  path: 'users',
  title: 'Users',
  icon: 'users',
  roles: ['admin'],
  Component: ({ query }) => <UserList query={query} />,
};

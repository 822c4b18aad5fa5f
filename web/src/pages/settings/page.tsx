import type { Page } from '../../shell/page.ts';
import { Settings } from './Settings.tsx';

export const settingsPage: Page = {
  path: 'settings',
  title: 'Settings',
  icon: 'settings',
  roles: null,
  Component: Settings,
};

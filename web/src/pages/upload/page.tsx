import type { Page } from '../../shell/page.ts';
import { UploadPage } from './UploadPage.tsx';

export const uploadPage: Page = { path: 'upload', title: 'Upload', icon: 'upload', roles: null, Component: UploadPage };

import type { Page } from 'playwright-core';

/** Opens what the upload form keeps closed. */
export const openMoreSettings = (page: Page): Promise<void> => page.locator('summary', { hasText: 'More settings' }).click();

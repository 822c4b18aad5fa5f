import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest';
import { chromiumIsHere, openSite, type Site } from './site.ts';

/**
 * Stories in a real browser, one and a server of its own for a file: a story makes what it needs, under names of its own. After each of them,
 * no page may have asked elsewhere, broken its policy or thrown.
 */
export const inBrowser = (title: string, tell: (site: () => Site) => void | Promise<void>): void => {
  describe.runIf(chromiumIsHere())(title, { timeout: 60_000 }, async () => {
    let site: Site;

    beforeAll(async () => {
      // Receivers of webhooks listen on loopback here.
      site = await openSite({ WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8', WEBHOOK_RETRY_BASE_MS: '200' });
    }, 60_000);

    afterAll(() => site.close());

    afterEach(async () => {
      expect(await site.takeFaults()).toEqual([]);
    });

    await tell(() => site);
  });
};

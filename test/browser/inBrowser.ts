import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest';
import { chromiumIsHere, openSite, type Site } from './site.ts';

interface BrowserOptions {
  /** Path of the WAV file played as the microphone; `null` for beeps. */
  readonly microphone?: () => Promise<string | null>;
  /** Settings of the server, in addition to those of every browser test. */
  readonly environment?: () => Promise<Readonly<Record<string, string>>>;
  /** Other origins that pages may go to. */
  readonly others?: () => readonly string[];
}

/**
 * Stories in a real browser. Each file has one browser and one server; each story creates its own resources under unique names. After each story,
 * no page may have sent requests elsewhere, violated its policy or thrown.
 */
export const inBrowser = (
  title: string,
  tell: (site: () => Site) => void | Promise<void>,
  { microphone, environment, others = () => [] }: BrowserOptions = {},
): void => {
  describe.runIf(chromiumIsHere())(title, { timeout: 180_000 }, async () => {
    let site: Site;

    beforeAll(async () => {
      // Receivers of webhooks listen on loopback here.
      const settings = {
        WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
        WEBHOOK_RETRY_BASE_MS: '200',
        WEBHOOK_HOLD_S: '1',
        ...(await environment?.()),
      };
      site = await openSite(settings, (await microphone?.()) ?? null, others());
    }, 120_000);

    afterAll(() => site.close());

    afterEach(async () => {
      expect(await site.takeFaults()).toEqual([]);
    });

    await tell(() => site);
  });
};

import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { ADMIN_KEY, type RunningServer, startServer } from '../e2e/server.ts';

/** The headless shell first: the same engine without the windows of a browser, which take three times the CPU for each tab. */
const CHROMIUM = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome']
  .map((name) => `/usr/bin/${name}`)
  .find((path) => existsSync(path));
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // No tab lives long enough for V8's optimizing compilers to gain what they cost.
  '--js-flags=--no-opt --no-maglev --always-sparkplug',
  // A microphone that beeps unless it is given a file, and a permission that is granted automatically.
  '--use-fake-device-for-media-stream',
  '--use-fake-ui-for-media-stream',
];

/** Whether a browser is installed. Without one, tests that need it are skipped with a message; CI must have it. */
export const chromiumIsHere = (): boolean => {
  if (CHROMIUM !== undefined) return true;
  if (process.env.CI === 'true') throw new Error('CI needs Chromium');
  console.warn('skipped: needs Chromium');
  return false;
};

export interface VisitOptions {
  /** Place behind the `#`, such as `streams`. */
  readonly at?: string;
  /** API key of the session; `null`: signed out. Default: the administrator's. */
  readonly key?: string | null;
  readonly context?: BrowserContextOptions;
}

/** A real server and a real browser, for all stories. Forbidden behaviour of pages is recorded, and checked after each story. */
export class Site {
  readonly server: RunningServer;
  readonly #browser: Browser;
  readonly #folder: string;
  readonly #others: readonly string[];
  readonly #contexts: BrowserContext[] = [];
  #faults: string[] = [];

  constructor(server: RunningServer, browser: Browser, folder: string, others: readonly string[]) {
    this.server = server;
    this.#browser = browser;
    this.#folder = folder;
    this.#others = others;
  }

  get url(): string {
    return this.server.url;
  }

  /** A new tab, as for someone who has just opened the address. */
  async visit({ at = '', key = ADMIN_KEY, context: options = {} }: VisitOptions = {}): Promise<Page> {
    const context = await this.#browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
    this.#contexts.push(context);
    const credential = JSON.stringify({ kind: 'api-key', key });
    if (key !== null) await context.addInitScript((kept) => sessionStorage.setItem('tributary.credential', kept), credential);
    const page = await context.newPage();
    page.setDefaultTimeout(45_000);
    this.#watch(page);
    await page.goto(`${this.url}/${at && `#/${at}`}`);
    return page;
  }

  /** Faults in any tab since the last call: foreign requests, errors of scripts and in the console. */
  async takeFaults(): Promise<string[]> {
    await Promise.all(this.#contexts.splice(0).map((context) => context.close()));
    const faults = this.#faults;
    this.#faults = [];
    return faults;
  }

  async close(): Promise<void> {
    await this.#browser.close();
    await this.server.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #watch(page: Page): void {
    page.on('request', (request) => {
      const url = request.url();
      // Pages of others are not under test.
      if (this.#others.some((origin) => page.url().startsWith(origin))) return;
      const allowed = [this.url, `blob:${this.url}`, ...this.#others];
      if (!allowed.some((origin) => url.startsWith(`${origin}/`))) this.#faults.push(`request to ${url}`);
    });
    page.on('pageerror', (error) => this.#faults.push(`error: ${error.stack ?? error.message}`));
    page.on('console', (message) => {
      // The browser's own line about an answer of 400 or more; the stories make such answers on purpose.
      const isAnswer = message.text().startsWith('Failed to load resource');
      if (message.type() === 'error' && !isAnswer) this.#faults.push(`console: ${message.text()}`);
    });
  }
}

/** `microphone`: path of the WAV file played repeatedly as the microphone; `null` for beeps. `others`: other origins that pages may go to. */
export const openSite = async (
  environment: Readonly<Record<string, string>> = {},
  microphone: string | null = null,
  others: readonly string[] = [],
): Promise<Site> => {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-browser-'));
  const [server, browser] = await Promise.all([
    startServer({ environment }),
    chromium.launch({
      executablePath: CHROMIUM ?? '',
      args: microphone === null ? FLAGS : [...FLAGS, `--use-file-for-fake-audio-capture=${microphone}`],
      headless: true,
    }),
  ]);
  return new Site(server, browser, folder, others);
};

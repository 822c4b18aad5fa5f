import { existsSync } from 'node:fs';
import puppeteer, { type Browser, type ElementHandle, type Page } from 'puppeteer-core';
import { type RunningServer, startServer } from '../e2e/server.ts';

const FIREFOX = ['/usr/bin/firefox-esr', '/usr/bin/firefox'].find((path) => existsSync(path));

/** Whether Firefox is installed. Without it, its tests are skipped with a message; CI must have it. */
export const firefoxIsHere = (): boolean => {
  if (FIREFOX !== undefined) return true;
  if (process.env.CI === 'true') throw new Error('CI needs Firefox');
  console.warn('skipped: needs Firefox');
  return false;
};

/**
 * A tab of the installed Firefox, driven over WebDriver BiDi, beside a real server. Playwright, which drives Chromium, needs a Firefox of its own.
 */
export class FirefoxTab {
  readonly server: RunningServer;
  readonly page: Page;
  readonly #browser: Browser;
  /** Requests to other origins, and script errors. */
  readonly faults: string[] = [];

  private constructor(server: RunningServer, browser: Browser, page: Page) {
    this.server = server;
    this.#browser = browser;
    this.page = page;
    page.on('request', (request) => {
      const url = request.url();
      // Firefox also reports the fonts of its own media controls, which are in the program (`data:`).
      if (![`${server.url}/`, `blob:${server.url}/`, 'data:'].some((own) => url.startsWith(own))) this.faults.push(`request to ${url}`);
    });
    page.on('pageerror', (error) => this.faults.push(`error: ${error instanceof Error ? error.message : String(error)}`));
    page.on('console', (message) => {
      if (/content.security.policy/i.test(message.text())) this.faults.push(message.text());
    });
  }

  static async open(environment: Readonly<Record<string, string>>): Promise<FirefoxTab> {
    const [server, browser] = await Promise.all([
      startServer({ environment }),
      puppeteer.launch({
        browser: 'firefox',
        executablePath: FIREFOX ?? '',
        headless: true,
        defaultViewport: { width: 1280, height: 900 },
      }),
    ]);
    const page = await browser.newPage();
    page.setDefaultTimeout(45_000);
    return new FirefoxTab(server, browser, page);
  }

  async close(): Promise<void> {
    await this.#browser.close();
    await this.server.kill();
  }

  async go(path: string): Promise<void> {
    await this.page.goto(this.server.url + path);
  }

  /** Clicks the first visible element with exactly this text. */
  async click(selector: string, name: string): Promise<void> {
    await (await this.#element(selector, name)).click();
  }

  /** Types into the field with this label. */
  async fill(label: string, value: string): Promise<void> {
    await (await this.#element('label', label)).click();
    await this.page.keyboard.type(value);
  }

  async choose(file: string): Promise<void> {
    const input = await this.page.waitForSelector('input[type=file]');
    await input?.uploadFile(file);
  }

  /** Waits until an element that matches the selector contains the text. */
  async text(selector: string, text: string): Promise<void> {
    const holds = (where: string, what: string) => [...document.querySelectorAll(where)].some((one) => one.textContent?.includes(what));
    await this.page.waitForFunction(holds, {}, selector, text);
  }

  async #element(selector: string, name: string): Promise<ElementHandle> {
    const find = (where: string, what: string) =>
      [...document.querySelectorAll(where)].find((one) => one.textContent?.trim() === what && one.checkVisibility());
    const found = (await this.page.waitForFunction(find, {}, selector, name)).asElement();
    if (!found) throw new Error(`${selector} "${name}" is not an element`);
    // `querySelectorAll` finds elements only.
    return found as ElementHandle;
  }
}

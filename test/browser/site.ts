import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { ADMIN_KEY, type RunningServer, startServer } from '../e2e/server.ts';

/** The headless shell first: the same engine without the windows of a browser, which take three times the CPU for each tab (decision 63). */
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
  // No tab lives long enough for V8's optimizing compilers to gain what they cost (decision 89).
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
  readonly #contexts: BrowserContext[] = [];
  #faults: string[] = [];

  constructor(server: RunningServer, browser: Browser, folder: string) {
    this.server = server;
    this.#browser = browser;
    this.#folder = folder;
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

  /** Faults in any tab since the last call: foreign requests, refusals by the content security policy, script errors. */
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
      if (!url.startsWith(`${this.url}/`) && !url.startsWith(`blob:${this.url}/`)) this.#faults.push(`request to ${url}`);
    });
    page.on('pageerror', (error) => this.#faults.push(`error: ${error.stack ?? error.message}`));
    page.on('console', (message) => {
      if (/content security policy/i.test(message.text())) this.#faults.push(message.text());
    });
  }
}

/** `microphone`: path of the WAV file played repeatedly as the microphone; `null` for beeps. */
export const openSite = async (environment: Readonly<Record<string, string>> = {}, microphone: string | null = null): Promise<Site> => {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-browser-'));
  const [server, browser] = await Promise.all([
    startServer({ environment }),
    chromium.launch({
      executablePath: CHROMIUM ?? '',
      args: microphone === null ? FLAGS : [...FLAGS, `--use-file-for-fake-audio-capture=${microphone}`],
      headless: true,
    }),
  ]);
  return new Site(server, browser, folder);
};

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface AxeNode {
  readonly element: Element;
  readonly html: string;
  readonly failureSummary: string;
  readonly any: readonly { readonly data?: { readonly contrastRatio?: number; readonly messageKey?: string } | null }[];
}
interface AxeResult {
  readonly id: string;
  readonly nodes: readonly AxeNode[];
}
interface AxeResults {
  readonly passes: readonly AxeResult[];
  readonly incomplete: readonly AxeResult[];
  readonly violations: readonly AxeResult[];
}
/** What pages that were sent the source of axe have. */
type WithAxe = typeof globalThis & {
  axe: { run: (context: object, options: object) => Promise<AxeResults> };
  /** Texts that axe could not judge when it last looked at the page in light, because of their place. */
  unjudged?: ReadonlySet<Element>;
};

/** Compares each text with everything behind it, which takes about as long as all other rules together. */
const CONTRAST = 'color-contrast';
/** The other rule about colors: with contrast, all that can differ between light and dark, where only the color tokens differ (`web/src/styles/tokens.css`). */
const LINKS = 'link-in-text-block';
/** Of the other rules, those that measure elements: all that can differ between widths that show the same elements. */
const MEASURED = [LINKS, 'target-size', 'scrollable-region-focusable'];
const ONLY = { measured: MEASURED, links: [LINKS] };

type Extent = 'all' | 'all but contrast' | keyof typeof ONLY;

const withAxe = async (page: Page): Promise<void> => {
  // Sent through the debugger, which the page's content security policy does not bind.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axeSource);
};

/** Everything that axe finds, whatever its impact, a line each. Another extent than `all` applies some rules only. */
export const accessibilityFaults = async (page: Page, extent: Extent = 'all'): Promise<string[]> => {
  await withAxe(page);
  // Off by default, as a rule of WCAG 2.2.
  const rules = { 'target-size': { enabled: true }, ...(extent === 'all' ? {} : { [CONTRAST]: { enabled: false } }) };
  const which = extent === 'measured' || extent === 'links' ? { runOnly: { type: 'rule', values: ONLY[extent] } } : { rules };
  const options = { resultTypes: ['violations'], ...which };
  return page.evaluate(async (given) => {
    const { violations } = await (globalThis as WithAxe).axe.run(document, given);
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`));
  }, options);
};

/**
 * What axe finds about the contrast of texts. A text is left out if another with the same colors, size and background has passed; `passed` remembers these
 * for light and dark together. What axe could not judge in light because of its place, such as a text behind a dialog, is left out in dark at the same width.
 */
const contrastFaults = async (page: Page, passed: Set<string>, theme: 'light' | 'dark'): Promise<string[]> => {
  await page.emulateMedia({ colorScheme: theme });
  await withAxe(page);
  const { faults, newlyPassed } = await page.evaluate(
    async ([rule, known, dark]) => {
      const NONE = /^(none|normal|1|rgba\(0, 0, 0, 0\))$/;
      const OPAQUE = /^(rgb\(|color\([^/]*\)$)/;
      /** Something other than its ancestors may lie behind it. */
      const isMoved = (style: CSSStyleDeclaration): boolean => {
        const { position, transform, translate, scale, rotate, cssFloat, top, left, right, bottom } = style;
        const offsets = position === 'relative' && [top, left, right, bottom].some((offset) => !/^(auto|0px)$/.test(offset));
        const margins = [style.marginTop, style.marginLeft, style.marginRight, style.marginBottom];
        return (
          /absolute|fixed|sticky/.test(position) ||
          offsets ||
          [transform, translate, scale, rotate, cssFloat].some((value) => value !== 'none') ||
          margins.some((margin) => margin.startsWith('-'))
        );
      };
      /** All that the contrast of an element's text depends on; `null` if that cannot be known from its ancestors. */
      const colorsOf = (text: Element): string | null => {
        const { color, fontSize, fontWeight, textShadow } = getComputedStyle(text);
        const parts = [color, fontSize, fontWeight, textShadow];
        let isCovered = false;
        for (let element: Element | null = text; element; element = element.parentElement) {
          const style = getComputedStyle(element);
          const behind = isCovered ? [] : [style.backgroundColor, style.backgroundImage];
          parts.push(...[style.opacity, style.filter, style.mixBlendMode, ...behind].filter((value) => !NONE.test(value)));
          isCovered ||= OPAQUE.test(style.backgroundColor);
          if (!isCovered && isMoved(style)) return null;
        }
        return parts.join(' ');
      };
      /** Texts of pictures are left out: axe never judges them. */
      const hasText = (element: Element): boolean =>
        !(element instanceof SVGElement) &&
        (element.matches('input, select, textarea') ||
          [...element.childNodes].some((node) => node instanceof Text && node.data.trim() !== ''));
      const isShown = (element: Element): boolean => {
        const { width, height } = element.getBoundingClientRect();
        return width > 1 && height > 1 && element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
      };
      const tab = globalThis as WithAxe;
      const unjudged: ReadonlySet<Element> = (dark && tab.unjudged) || new Set();
      tab.unjudged = unjudged;
      const seen = new Set<string | null>(known);
      const texts = [...document.body.querySelectorAll('*')].filter((element) => hasText(element) && isShown(element));
      const include = texts.filter((text) => !unjudged.has(text) && !seen.has(colorsOf(text)));
      if (include.length === 0) return { faults: [], newlyPassed: [] };
      const resultTypes = ['violations', 'passes', 'incomplete'];
      const options = { runOnly: { type: 'rule', values: [rule] }, resultTypes, elementRef: true };
      const { passes, incomplete, violations } = await tab.axe.run({ include }, options);
      const elementsOf = (results: readonly AxeResult[], are: (node: AxeNode) => boolean = () => true): Element[] =>
        results.flatMap(({ nodes }) => nodes.filter(are).map(({ element }) => element));
      // A text that is cut off passes without a ratio.
      const measured = elementsOf(passes, ({ any }) => any.some(({ data }) => typeof data?.contrastRatio === 'number'));
      const byPlace = /^(bgOverlap|elmPartially\w+|outsideViewport|shortTextContent|nonBmp)$/;
      const byColor = elementsOf(incomplete, ({ any }) => !any.some(({ data }) => byPlace.test(data?.messageKey ?? '')));
      const judged = new Set([...measured, ...byColor, ...elementsOf(violations)]);
      tab.unjudged = new Set(include.filter((text) => !judged.has(text)));
      return {
        faults: violations.flatMap(({ id, nodes }) =>
          nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`),
        ),
        newlyPassed: measured.flatMap((element) => colorsOf(element) ?? []),
      };
    },
    [CONTRAST, [...passed], theme === 'dark'] as const,
  );
  for (const colors of newlyPassed) passed.add(colors);
  return faults;
};

/**
 * Which elements a page shows, as what, and with which attributes. Not compared: classes and styles, whose effect is, and the geometry of
 * pictures, which is drawn for each width. Runs inside the page.
 */
const shownElements = (): string => {
  const IN_PICTURES = /^(role|aria-.*|id|tabindex|href|lang)$/;
  const described = (element: Element): string => {
    const names = element.getAttributeNames().filter((name) => {
      if (element instanceof SVGElement) return IN_PICTURES.test(name);
      return name !== 'class' && name !== 'style';
    });
    return [getComputedStyle(element).display, ...names.map((name) => `${name}=${element.getAttribute(name)}`)].join(' ');
  };
  const all = [...document.querySelectorAll('*')];
  return all.map((element) => (element.checkVisibility({ visibilityProperty: true }) ? described(element) : '')).join('\n');
};

/** What earlier looks at pages have seen, so that it need not be judged again. */
export class Looks {
  /** The elements that the present page showed. */
  readonly shown = new Set<string>();
  /** Colors of texts that have passed. */
  readonly colors = new Set<string>();
}

/**
 * What axe finds on a page at one width, in light and dark. If an earlier width showed the same elements, only the rules that measure run again. Texts
 * whose colors have passed are not judged again.
 */
export const accessibilityFaultsAtWidth = async (page: Page, looks: Looks): Promise<string[]> => {
  const shown = await page.evaluate(shownElements);
  await page.emulateMedia({ colorScheme: 'light' });
  const light = await accessibilityFaults(page, looks.shown.has(shown) ? 'measured' : 'all but contrast');
  looks.shown.add(shown);
  light.push(...(await contrastFaults(page, looks.colors, 'light')));
  const dark = [...(await contrastFaults(page, looks.colors, 'dark')), ...(await accessibilityFaults(page, 'links'))];
  return [...light.map((fault) => `in light, ${fault}`), ...dark.map((fault) => `in dark, ${fault}`)];
};

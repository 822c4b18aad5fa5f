import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

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
/** Global names of a page into which axe was loaded. */
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

/** Everything that axe finds, whatever its impact, a line each. Of a page under a dialog, the dialog alone: the page was a view before. Another extent than `all` applies some rules only. */
export const accessibilityFaults = async (page: Page, extent: Extent = 'all'): Promise<string[]> => {
  await withAxe(page);
  // Off by default, as a rule of WCAG 2.2.
  const rules = { 'target-size': { enabled: true }, ...(extent === 'all' ? {} : { [CONTRAST]: { enabled: false } }) };
  const which = extent === 'measured' || extent === 'links' ? { runOnly: { type: 'rule', values: ONLY[extent] } } : { rules };
  const options = { resultTypes: ['violations'], ...which };
  return page.evaluate(async (given) => {
    const shown = document.querySelector('dialog[open]') ?? document;
    const { violations } = await (globalThis as WithAxe).axe.run(shown, given);
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`));
  }, options);
};

/**
 * Contrast faults of a page. A text is left out if one with the same colors, size and background has passed before; `passed` remembers these, light and
 * dark together. Texts that axe cannot judge because of their place, such as those behind a dialog, are tried in light only.
 */
const contrastFaults = async (page: Page, passed: Set<string>, theme: 'light' | 'dark'): Promise<string[]> => {
  await page.emulateMedia({ colorScheme: theme });
  await withAxe(page);
  const { faults, newlyPassed } = await page.evaluate(
    async ([rule, passedBefore, dark]) => {
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
      const known = { covered: new Map<Element, string | null>(), open: new Map<Element, string | null>() };
      /** Colors that an element and its ancestors put behind a text, `null` if they are not known. `covered`: an opaque element lies in between. */
      const behind = (element: Element | null, cover: 'covered' | 'open'): string | null => {
        if (!element) return '';
        const before = known[cover].get(element);
        if (before !== undefined) return before;
        const style = getComputedStyle(element);
        const { opacity, filter, mixBlendMode, backgroundColor, backgroundImage } = style;
        const own = [opacity, filter, mixBlendMode, ...(cover === 'open' ? [backgroundColor, backgroundImage] : [])];
        const isCovered = cover === 'covered' || OPAQUE.test(backgroundColor);
        const rest = !isCovered && isMoved(style) ? null : behind(element.parentElement, isCovered ? 'covered' : 'open');
        const all = rest === null ? null : [...own.filter((value) => !NONE.test(value)), rest].join(' ');
        known[cover].set(element, all);
        return all;
      };
      /** All that the contrast of an element's text depends on; `null` if that cannot be known from its ancestors. */
      const colorsOf = (text: Element): string | null => {
        const { color, fontSize, fontWeight, textShadow } = getComputedStyle(text);
        const around = behind(text, 'open');
        return around === null ? null : [color, fontSize, fontWeight, textShadow, around].join(' ');
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
      const seen = new Set<string | null>(passedBefore);
      const root = document.querySelector('dialog[open]') ?? document.body;
      const texts = [...root.querySelectorAll('*')].filter((element) => hasText(element) && isShown(element));
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
  const all = [...(document.querySelector('dialog[open]') ?? document).querySelectorAll('*')];
  return all.map((element) => (element.checkVisibility({ visibilityProperty: true }) ? described(element) : '')).join('\n');
};

/** Results of earlier checks, which need not be repeated. */
export class Looks {
  /** The elements that the present page showed. */
  readonly shown = new Set<string>();
  /** Colors of texts that have passed. */
  readonly colors = new Set<string>();
}

/**
 * Everything that axe finds on a page at one width, in light and dark. At a width that shows the same elements as an earlier one, only the rules that measure
 * elements run again, in light. Texts whose colors have passed are not judged again.
 */
export const accessibilityFaultsAtWidth = async (page: Page, looks: Looks): Promise<string[]> => {
  const shown = await page.evaluate(shownElements);
  await page.emulateMedia({ colorScheme: 'light' });
  const isKnown = looks.shown.has(shown);
  const light = await accessibilityFaults(page, isKnown ? 'measured' : 'all but contrast');
  looks.shown.add(shown);
  light.push(...(await contrastFaults(page, looks.colors, 'light')));
  const dark = [...(await contrastFaults(page, looks.colors, 'dark')), ...(isKnown ? [] : await accessibilityFaults(page, 'links'))];
  return [...light.map((fault) => `in light, ${fault}`), ...dark.map((fault) => `in dark, ${fault}`)];
};

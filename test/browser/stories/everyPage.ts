import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { accessibilityFaultsAtWidth, Looks } from '../accessibility.ts';
import { cutOff } from '../cutOff.ts';
import type { Site } from '../site.ts';
import { furnish, loaded, show, type View, type Views } from '../views.ts';

/** Texts of pictures that are cut off at an edge. */
const textsOutsideOfPictures = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll('svg text')]
      .filter((text) => {
        const [at, picture] = [text.getBoundingClientRect(), text.closest('svg')?.getBoundingClientRect()];
        return picture && (at.left < picture.left - 1 || at.right > picture.right + 1);
      })
      .map(({ textContent }) => textContent ?? ''),
  );

const placesOf = async (page: Page): Promise<readonly string[]> => {
  const links = page.locator('nav[aria-label="Pages"] a');
  await links.first().waitFor({ state: 'attached' });
  const places = await links.evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''));
  expect(places.length).toBeGreaterThan(4);
  return places;
};

/** Of a large screen, a tablet and a phone: axe runs at these. */
const WIDTHS: readonly number[] = [1440, 768, 390];
/** Around the widths at which the layout changes. */
const WIDTHS_OF_PAGES = [1440, 1024, 900, 820, 768, 761, 700, 390] as const;

const AREAS = [
  'sign',
  'not',
  'stream',
  'upload',
  'template',
  'processor',
  'webhook',
  'usage',
  'credential',
  'user',
  'setting',
  'audit',
  'operation',
] as const;

/** `streams-empty` and `stream-text` are both of the area `stream`. */
const areaOf = (name: string): string => (name.split('-')[0] ?? '').replace(/s$/, '');

/** A page of a signed-in user, as its address shows it. */
const isPage = ({ name, open, signedOut }: View): boolean => !open && !signedOut && name !== 'not-found';

/** Promises of every page and dialog. */
export const everyPageStories = (given: () => Site): void => {
  describe('every page', () => {
    let views: Views;
    const looks = new Looks();

    beforeAll(async () => {
      views = await furnish(given());
    }, 120_000);

    afterAll(() => views?.close());

    test.each(AREAS)(
      'passes axe at three widths, in light and dark, and fits the window at every width, with its dialogs: %s',
      {
        timeout: 300_000,
      },
      async (area) => {
        const [page, stranger] = [await given().visit(), await given().visit({ key: null })];
        const ofArea = views.all.filter(({ name }) => areaOf(name) === area);
        expect(ofArea.length).toBeGreaterThan(0);
        for (const view of ofArea) {
          const tab = view.signedOut ? stranger : page;
          await tab.setViewportSize({ width: 1440, height: 900 });
          await show(tab, view);
          looks.shown.clear();
          for (const width of isPage(view) ? WIDTHS_OF_PAGES : WIDTHS) {
            await tab.setViewportSize({ width, height: 900 });
            await loaded(tab);
            expect(await tab.evaluate(cutOff), `${view.name} at ${width}`).toEqual([]);
            expect(await textsOutsideOfPictures(tab), `${view.name} at ${width}`).toEqual([]);
            if (WIDTHS.includes(width)) expect(await accessibilityFaultsAtWidth(tab, looks), `${view.name} at ${width}`).toEqual([]);
          }
        }
      },
    );

    test.each([
      [
        'an attribute',
        (image: HTMLElement) => image.setAttribute('alt', 'A picture'),
        (image: HTMLElement) => image.removeAttribute('alt'),
      ],
      [
        'the visibility',
        (image: HTMLElement) => image.style.setProperty('visibility', 'hidden'),
        (image: HTMLElement) => image.style.removeProperty('visibility'),
      ],
    ])('is checked by all rules at each width that changes %s of an element', async (_, pass, fail) => {
      const page = await given().visit({ at: 'nowhere' });
      await page.getByText('This page does not exist.').waitFor();
      await page.evaluate(() => document.querySelector('main')?.append(document.createElement('img')));
      const image = page.locator('main img');
      await image.evaluate(pass);
      const ofImages = new Looks();
      expect(await accessibilityFaultsAtWidth(page, ofImages)).toEqual([]);
      await image.evaluate(fail);
      expect(await accessibilityFaultsAtWidth(page, ofImages)).toEqual([expect.stringContaining('image-alt')]);
    });

    test.each([
      ['a text’s color', 'light', (text: HTMLElement) => text.style.setProperty('color', '#ccc')],
      ['a text’s color in dark only', 'dark', (text: HTMLElement) => text.style.setProperty('color', 'light-dark(#000, #333)')],
      ['what lies behind a text', 'light', (text: HTMLElement) => text.parentElement?.style.setProperty('background', '#222')],
      ['the opacity around a text', 'light', (text: HTMLElement) => text.parentElement?.style.setProperty('opacity', '0.2')],
    ])('is checked for contrast again after a change of %s', async (_, theme, fail) => {
      const page = await given().visit({ at: 'nowhere' });
      await page.getByText('This page does not exist.').waitFor();
      await page.evaluate(() => document.querySelector('main')?.insertAdjacentHTML('beforeend', '<div><p id="added">Two words</p></div>'));
      const text = page.locator('#added');
      await text.evaluate((element) => element.style.setProperty('color', 'light-dark(#000, #fff)'));
      const ofText = new Looks();
      expect(await accessibilityFaultsAtWidth(page, ofText)).toEqual([]);
      await text.evaluate(fail);
      expect(await accessibilityFaultsAtWidth(page, ofText)).toContainEqual(
        expect.stringMatching(`in ${theme}, color-contrast: <p id="added"`),
      );
    });

    test('is checked for contrast when a text that was cut off is shown', async () => {
      const page = await given().visit({ at: 'nowhere' });
      await page.getByText('This page does not exist.').waitFor();
      await page.evaluate(() => {
        document.querySelector('main')?.insertAdjacentHTML('beforeend', '<div id="frame"><p id="added">Two words</p></div>');
        for (const [name, value] of Object.entries({ width: '1px', height: '1px', overflow: 'hidden' }))
          document.getElementById('frame')?.style.setProperty(name, value);
      });
      await page.locator('#added').evaluate((element) => {
        element.style.setProperty('color', '#ccc');
        element.style.setProperty('width', '100px');
      });
      const ofText = new Looks();
      expect(await accessibilityFaultsAtWidth(page, ofText)).toEqual([]);
      await page.locator('#frame').evaluate((element) => element.removeAttribute('style'));
      expect(await accessibilityFaultsAtWidth(page, ofText)).toContainEqual(
        expect.stringMatching('in light, color-contrast: <p id="added"'),
      );
    });

    test('is in one of the areas above', () => {
      const areas = new Set<string>(AREAS);
      expect(views.all.map(({ name }) => name).filter((name) => !areas.has(areaOf(name)))).toEqual([]);
    });

    test('shows that it is loading within three frames of a click', { timeout: 180_000 }, async () => {
      const page = await given().visit({ at: 'nowhere' });
      const places = [...(await placesOf(page)), ...views.all.filter(isPage).map(({ at }) => `#/${at}`)];
      await page.getByText('This page does not exist.').waitFor();
      let isHeld = true;
      const waiting: (() => void)[] = [];
      await page.route('**/*-service/**', async (route) => {
        if (isHeld) await new Promise<void>((resolve) => waiting.push(resolve));
        await route.continue();
      });
      const blank = await page.evaluate(async (all) => {
        const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
        const without: string[] = [];
        for (const place of all) {
          location.assign(place);
          for (let n = 0; n < 3; n++) await frame();
          if (!document.querySelector('main .loading')) without.push(place);
        }
        return without;
      }, places);
      expect(blank).toEqual([]);
      isHeld = false;
      for (const go of waiting) go();
      await loaded(page);
    });
  });

  describe('on a slow network', () => {
    test('shows on a first visit that it is loading before its script and style have arrived', async () => {
      const page = await given().visit({ key: null });
      let answer = (): void => {};
      const held = new Promise<void>((resolve) => {
        answer = resolve;
      });
      await page.route('**/assets/*', async (route) => {
        await held;
        await route.continue();
      });
      await page.goto(`${given().url}/?first`, { waitUntil: 'commit' });
      await page.getByText('Loading Tributary…').waitFor();
      await page.waitForFunction(() => performance.getEntriesByName('first-contentful-paint').length > 0);
      answer();
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      expect(await page.getByText('Loading Tributary…').count()).toBe(0);
    });

    test('shows on a later visit that it is loading until the session is confirmed', async () => {
      const page = await given().visit({ at: 'nowhere' });
      await page.getByText('This page does not exist.').waitFor();
      let answer = (): void => {};
      const held = new Promise<void>((resolve) => {
        answer = resolve;
      });
      await page.route('**/credentials/self', async (route) => {
        await held;
        await route.continue();
      });
      const asked = page.waitForRequest('**/credentials/self');
      await page.reload({ waitUntil: 'commit' });
      await asked;
      await page.getByText('Loading Tributary…').waitFor();
      expect(await page.getByRole('heading', { name: 'Sign in' }).count()).toBe(0);
      answer();
      await page.getByText('This page does not exist.').waitFor();
    });
  });
};

import type { JsonObject } from '../../json.ts';

const CODES: ReadonlyMap<string, string> = (() => {
  const names = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });
  const codes = new Map<string, string>();
  const letters = 'abcdefghijklmnopqrstuvwxyz';
  for (const first of letters) {
    for (const second of letters) {
      const name = names.of(first + second)?.toLowerCase();
      // Old codes share their names with new ones (iw, he), and the first one found may be the old one.
      if (name && (!codes.has(name) || Intl.getCanonicalLocales(first + second)[0] === first + second)) codes.set(name, first + second);
    }
  }
  return codes;
})();

/** The code of a language given as code or English name ("english", "en", "en-US"); `null` for anything else. */
export const languageCode = (said: unknown): string | null => {
  if (typeof said !== 'string') return null;
  const name = said.trim().toLowerCase();
  return CODES.get(name) ?? (/^[a-z]{2,3}([-_][a-z0-9]{1,8})*$/.test(name) ? name : null);
};

/** Scripts without spaces between sentences. */
export const isUnspaced = (language: string | null): boolean => /^(zh|yue|ja|th|lo|km|my)\b/.test(language ?? '');

/** `en`, `en-US`, `eng`, `English`. */
export const isEnglish = (code: string): boolean => /^(en|eng|english)([-_].*)?$/i.test(code);

/** Other services' word for a language that is to be detected. */
export const isAutomatic = (code: string): boolean => code.trim().toLowerCase() === 'auto';

/** The requested languages; empty for any. */
export const languagesOf = ({ language }: JsonObject): string[] => {
  const codes = Array.isArray(language) ? language : [language];
  return codes.filter((code) => typeof code === 'string').filter((code) => !isAutomatic(code));
};

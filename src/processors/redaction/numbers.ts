import { isIP } from 'node:net';
import { getCountrySpecifications, isValidIBAN } from 'ibantools';
import { type CountryCode, isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { POINT_WORDS } from './spokenSigns.ts';

const digitsOf = (text: string): string => text.replace(/\D/g, '');

/** The check digit of ISO/IEC 7812. */
const passesLuhn = (digits: string): boolean => {
  const sum = [...digits].reverse().reduce((total, character, n) => {
    const digit = Number(character) * (n % 2 === 1 ? 2 : 1);
    return total + (digit > 9 ? digit - 9 : digit);
  }, 0);
  return sum % 10 === 0;
};

/** First digits and lengths of the networks: Visa, Mastercard, American Express, Diners Club, Discover, JCB, UnionPay. */
const NETWORKS =
  /^(?:4(?:\d{12}|\d{15}|\d{18})|(?:5[1-5]|2[2-7])\d{14}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|6(?:011|5\d\d|4[4-9]\d)\d{12}|35\d{14}|62\d{14,17})$/;

export const isCard = (text: string): boolean => {
  const digits = digitsOf(text);
  return NETWORKS.test(digits) && passesLuhn(digits);
};

const IBANS = getCountrySpecifications();

/** The IBAN at the beginning of a text, which may have spaces, signs and further words; `null` if there is none. */
export const ibanIn = (text: string): string | null => {
  const country = text
    .replace(/[^A-Za-z]/g, '')
    .slice(0, 2)
    .toUpperCase();
  const length = IBANS[country]?.chars ?? 0;
  let characters = '';
  for (const [n, character] of [...text].entries()) {
    if (/[A-Za-z0-9]/.test(character)) characters += character.toUpperCase();
    if (length > 0 && characters.length === length) return isValidIBAN(characters) ? text.slice(0, n + 1) : null;
  }
  return null;
};

/** As the United States number people. `isSpaced`: written in its three groups. */
export const isSsn = (text: string): boolean => /^(?!000|666|9)\d{3}(?!00)\d{2}(?!0000)\d{4}$/.test(digitsOf(text));

const SPOKEN_POINT = new RegExp(`\\s*(?:${POINT_WORDS})\\s*`, 'gi');

export const isAddress = (text: string): boolean => isIP(text.replace(SPOKEN_POINT, '.')) > 0;

/** The country of a language where most people speak it: `en` gives `US`. `null` for an unknown language. */
export const regionOf = (language: string | null): string | null => {
  try {
    return language === null ? null : (new Intl.Locale(language).maximize().region ?? null);
  } catch {
    return null;
  }
};

/** `null` for a country that has no phone numbers of its own. */
export const countryOf = (region: string | null): CountryCode | null => {
  const code = region?.toUpperCase() ?? '';
  return isSupportedCountry(code) ? code : null;
};

const DATE = /^(?:\d{1,2}[./-]\d{1,2}[./-]\d{4}|\d{4}[./-]\d{1,2}[./-]\d{1,2})(?!\d)/;
const WITHOUT_AREA = /^\d{3}[-. ]\d{4}$/;

/**
 * A number that exists, dialled as people of the country do. `isCalled`: the words before it speak of a phone, so that a number without its area code
 * or leading zero counts too.
 */
export const isPhone = (text: string, country: CountryCode | null, isCalled: boolean): boolean => {
  if (DATE.test(text)) return false;
  if (isCalled && WITHOUT_AREA.test(text)) return true;
  const number = parsePhoneNumberFromString(text, { ...(country && { defaultCountry: country }), extract: false });
  if (!number?.isValid()) return false;
  return isCalled || /^\D*\+/.test(text) || digitsOf(number.formatNational()).startsWith('0') === digitsOf(text).startsWith('0');
};

import { jsonOrThrow } from '../../json.ts';
import { OPERATION_TYPES, type OperationType, type Quantities } from '../stream/streamConfiguration.ts';
import {
  type CurrencyTable,
  type Price,
  type PriceList,
  QUANTITY_KINDS,
  ROUNDING_MODES,
  type Rounding,
  UNITS,
  type Unit,
} from './pricing.ts';

/** Rounded up, so that use of a priced operation is never free. */
const CHARGE: Rounding = { decimals: 6, mode: 'up' };

const price = (operationType: OperationType, quantity: keyof Quantities, unit: Unit, rate: string): Price => ({
  operationType,
  quantity,
  unit,
  rate,
  rounding: CHARGE,
});

/** Price of text: by size for engines that do not count tokens, by tokens for those that do. */
const textPrices = (operationType: OperationType): Price[] => [
  price(operationType, 'ingressSize', 'MiB', '0.5'),
  price(operationType, 'processedInputTokens', 'thousand tokens', '0.05'),
  price(operationType, 'processedOutputTokens', 'thousand tokens', '0.15'),
];

/** The shipped price list. A changed price needs a new version, because bills name the version they were made with. */
export const SHIPPED_PRICE_LIST: PriceList = {
  version: 'tributary-2026-1',
  prices: [
    price('BATCH_TRANSCRIPTION', 'processedAudioLength', 'minute', '0.5'),
    price('REAL_TIME_TRANSCRIPTION', 'processedAudioLength', 'minute', '0.8'),
    price('SPEAKERS_DIARIZATION', 'processedAudioLength', 'minute', '0.2'),
    price('VOICE_ACTIVITY_DETECTION', 'processedAudioLength', 'minute', '0.05'),
    price('TRANSCODE', 'processedAudioLength', 'minute', '0.02'),
    ...textPrices('TRANSLATION'),
    ...textPrices('SUMMARIZATION'),
    ...textPrices('SENTIMENT_ANALYSIS'),
    ...textPrices('LLM_PROCESSING'),
  ],
  currencies: { rates: { USD: '0.01', EUR: '0.0092', GBP: '0.0079', RON: '0.0458' }, rounding: { decimals: 8, mode: 'half-even' } },
};

/**
 * Parses a price list in the form of `SHIPPED_PRICE_LIST` from JSON text. Throws an Error that names the wrong member and its allowed values; the
 * server then refuses to start.
 */
export const parsePriceList = (text: string): PriceList => {
  const root = asObject(
    jsonOrThrow(text, () => new Error('the price list is not JSON')),
    'the price list',
  );
  const version = root.version;
  if (typeof version !== 'string' || version === '' || version.length > 100) throw wrong('version', 'a text of 1 to 100 characters');
  const prices = root.prices;
  if (!Array.isArray(prices)) throw wrong('prices', 'a list');
  return { version, prices: prices.map((item, n) => parsePrice(item, `prices[${n}]`)), currencies: parseCurrencies(root.currencies) };
};

const parsePrice = (value: unknown, at: string): Price => {
  const item = asObject(value, at);
  const operationType = oneOf(item.operationType, OPERATION_TYPES, `${at}.operationType`);
  const quantity = oneOf(item.quantity, namesOf(QUANTITY_KINDS), `${at}.quantity`);
  const unit = oneOf(item.unit, namesOf(UNITS), `${at}.unit`);
  if (UNITS[unit].kind !== QUANTITY_KINDS[quantity]) throw wrong(`${at}.unit`, `a unit of ${QUANTITY_KINDS[quantity]}`);
  return { operationType, quantity, unit, rate: parseRate(item.rate, `${at}.rate`), rounding: parseRounding(item.rounding, at) };
};

const parseCurrencies = (value: unknown): CurrencyTable => {
  const item = asObject(value, 'currencies');
  const rates: Record<string, string> = {};
  for (const [code, rate] of Object.entries(asObject(item.rates, 'currencies.rates'))) {
    if (!/^[A-Z]{3}$/.test(code)) throw wrong(`currencies.rates.${code}`, 'a code of three capital letters');
    rates[code] = parseRate(rate, `currencies.rates.${code}`);
  }
  return { rates, rounding: parseRounding(item.rounding, 'currencies') };
};

const parseRounding = (value: unknown, at: string): Rounding => {
  const item = asObject(value, `${at}.rounding`);
  const decimals = item.decimals;
  if (typeof decimals !== 'number' || !Number.isInteger(decimals) || decimals < 0 || decimals > 20) {
    throw wrong(`${at}.rounding.decimals`, 'a whole number from 0 to 20');
  }
  return { decimals, mode: oneOf(item.mode, namesOf(ROUNDING_MODES), `${at}.rounding.mode`) };
};

/** Text, because a JSON number would pass through binary floating point. */
const parseRate = (value: unknown, at: string): string => {
  if (typeof value !== 'string' || !/^\d{1,15}(\.\d{1,20})?$/.test(value)) throw wrong(at, 'a decimal number as text, such as "0.05"');
  return value;
};

const asObject = (value: unknown, at: string): Readonly<Record<string, unknown>> => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong(at, 'an object');
  return { ...value };
};

const namesOf = <Names extends object>(names: Names) => Object.keys(names) as (keyof Names & string)[];

const oneOf = <Name extends string>(value: unknown, names: readonly Name[], at: string): Name => {
  const found = names.find((name) => name === value);
  if (found !== undefined) return found;
  throw wrong(at, `one of ${names.join(', ')}`);
};

const wrong = (at: string, expected: string): Error => new Error(`${at} must be ${expected}`);

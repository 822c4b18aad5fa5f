import { Big } from 'big.js';
import { Problem } from '../problem.ts';
import type { Bill, OperationType, Quantities } from '../stream/streamConfiguration.ts';

/** What one unit of a price is, in the base unit of its quantities (milliseconds, bytes, tokens). */
export const UNITS = {
  second: { kind: 'time', size: 1_000 },
  minute: { kind: 'time', size: 60_000 },
  hour: { kind: 'time', size: 3_600_000 },
  KiB: { kind: 'bytes', size: 1_024 },
  MiB: { kind: 'bytes', size: 1_048_576 },
  GiB: { kind: 'bytes', size: 1_073_741_824 },
  token: { kind: 'tokens', size: 1 },
  'thousand tokens': { kind: 'tokens', size: 1_000 },
  'million tokens': { kind: 'tokens', size: 1_000_000 },
} as const;

export type Unit = keyof typeof UNITS;

/** What each quantity counts: a price's unit must be of that kind. */
export const QUANTITY_KINDS: Readonly<Record<keyof Quantities, 'time' | 'bytes' | 'tokens'>> = {
  executionTime: 'time',
  storageSize: 'bytes',
  ingressSize: 'bytes',
  egressSize: 'bytes',
  processedAudioLength: 'time',
  processedTokens: 'tokens',
  processedInputTokens: 'tokens',
  processedOutputTokens: 'tokens',
};

/** big.js' numbers for them. */
export const ROUNDING_MODES = { down: 0, 'half-up': 1, 'half-even': 2, up: 3 } as const;

export interface Rounding {
  readonly decimals: number;
  readonly mode: keyof typeof ROUNDING_MODES;
}

/** `rate` credits (decimal text) for each unit of the quantity; the charge is rounded, the quantity is not. */
export interface Price {
  readonly operationType: OperationType;
  readonly quantity: keyof Quantities;
  readonly unit: Unit;
  readonly rate: string;
  readonly rounding: Rounding;
}

/** Currency code in upper case to the price of one credit in it, decimal text. */
export interface CurrencyTable {
  readonly rates: Readonly<Record<string, string>>;
  readonly rounding: Rounding;
}

export interface PriceList {
  /** Written into every bill made with it. */
  readonly version: string;
  readonly prices: readonly Price[];
  readonly currencies: CurrencyTable;
}

/**
 * The bill of one run, in credits. A quantity that is `null` or zero costs nothing; an operation without prices is free. In a line,
 * `amount` is the quantity as measured (milliseconds, bytes, tokens), `rate` the credits for one `unit` of it.
 */
export const billFor = (priceList: PriceList, operationType: OperationType, quantities: Quantities): Bill => {
  const lines: Bill['lines'] = [];
  let sum = new Big(0);
  for (const price of priceList.prices) {
    if (price.operationType !== operationType) continue;
    const amount = quantities[price.quantity];
    if (amount === null || !Number.isFinite(amount) || amount <= 0) continue;
    const charge = chargeOf(price, amount);
    sum = sum.plus(charge);
    lines.push({ quantity: price.quantity, amount, unit: price.unit, rate: price.rate, credits: charge.toFixed() });
  }
  return { priceList: priceList.version, credits: sum.toFixed(), lines };
};

/** The bill of a run that costs nothing: one that failed, or was made before and is only recorded again. */
export const zeroBill = (priceList: PriceList): Bill => ({ priceList: priceList.version, credits: '0', lines: [] });

/** Credits (decimal text) in a currency, decimal text. Throws CURRENCY_ERROR for a code that the table does not have. */
export const inCurrency = (credits: string, currency: string, table: CurrencyTable): string => {
  const rate = Object.hasOwn(table.rates, currency) ? table.rates[currency] : undefined;
  if (rate === undefined) {
    throw new Problem('CURRENCY_ERROR', `Unknown currency. Use one of ${Object.keys(table.rates).join(', ')}, or omit it for credits.`);
  }
  const { decimals, mode } = table.rounding;
  return new Big(credits).times(rate).round(decimals, ROUNDING_MODES[mode]).toFixed();
};

/** Multiplied first and divided last, straight to the price's decimals, so that there is one rounding and no double one. */
const chargeOf = ({ rate, unit, rounding }: Price, amount: number): Big => {
  const Decimal = Big();
  Decimal.DP = rounding.decimals;
  Decimal.RM = ROUNDING_MODES[rounding.mode];
  return new Decimal(amount).times(rate).div(UNITS[unit].size);
};

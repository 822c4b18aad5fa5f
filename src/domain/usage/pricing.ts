import { Big } from 'big.js';
import { Problem } from '../problem.ts';
import type { Bill, OperationType, Quantities } from '../stream/streamConfiguration.ts';

/** Base units (milliseconds, bytes, tokens) in one unit of a price. */
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

/** Kind of unit that the price of each quantity must use. */
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

/** The modes as big.js numbers. */
export const ROUNDING_MODES = { down: 0, 'half-up': 1, 'half-even': 2, up: 3 } as const;

export interface Rounding {
  readonly decimals: number;
  readonly mode: keyof typeof ROUNDING_MODES;
}

/** `rate`: credits (decimal text) per unit of the quantity. The charge is rounded, the quantity is not. */
export interface Price {
  readonly operationType: OperationType;
  readonly quantity: keyof Quantities;
  readonly unit: Unit;
  readonly rate: string;
  readonly rounding: Rounding;
}

/** Price of one credit, decimal text, by currency code in upper case. */
export interface CurrencyTable {
  readonly rates: Readonly<Record<string, string>>;
  readonly rounding: Rounding;
}

export interface PriceList {
  /** Recorded in every bill made with it. */
  readonly version: string;
  readonly prices: readonly Price[];
  readonly currencies: CurrencyTable;
}

/**
 * The bill of one run, in credits. A quantity that is `null` or zero costs nothing; an operation without prices is free. In a line, `amount` is the
 * measured quantity (milliseconds, bytes, tokens) and `rate` the credits for one `unit` of it.
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

/** The bill of a run that costs nothing: it failed, or its cost is already recorded. */
export const zeroBill = (priceList: PriceList): Bill => ({ priceList: priceList.version, credits: '0', lines: [] });

/** Converts credits (decimal text) to a currency, decimal text. Throws CURRENCY_ERROR for an unknown code. */
export const inCurrency = (credits: string, currency: string, table: CurrencyTable): string => {
  const rate = Object.hasOwn(table.rates, currency) ? table.rates[currency] : undefined;
  if (rate === undefined) {
    throw new Problem('CURRENCY_ERROR', `Unknown currency. Use one of ${Object.keys(table.rates).join(', ')}, or omit it for credits.`);
  }
  const { decimals, mode } = table.rounding;
  return new Big(credits).times(rate).round(decimals, ROUNDING_MODES[mode]).toFixed();
};

/** Multiplies first and divides last, directly to the price's decimals, so that there is only one rounding. */
const chargeOf = ({ rate, unit, rounding }: Price, amount: number): Big => {
  const Decimal = Big();
  Decimal.DP = rounding.decimals;
  Decimal.RM = ROUNDING_MODES[rounding.mode];
  return new Decimal(amount).times(rate).div(UNITS[unit].size);
};

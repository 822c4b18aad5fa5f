import { inCurrency, type PriceList } from '../../domain/usage/pricing.ts';

/** Formats amounts, in credits if `currency` is `null`. Throws CURRENCY_ERROR immediately, even if there is no amount. */
export const amountsIn = (
  priceList: PriceList,
  currency: string | null,
): { readonly currency: string | null; readonly amount: (credits: string) => string } => {
  if (currency === null) return { currency, amount: (credits) => credits };
  const amount = (credits: string): string => inCurrency(credits, currency, priceList.currencies);
  amount('0');
  return { currency, amount };
};

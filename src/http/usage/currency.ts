import { inCurrency, type PriceList } from '../../domain/usage/pricing.ts';

/** How amounts are shown: in credits when `currency` is `null`. Throws CURRENCY_ERROR at once, also when there is no amount to convert. */
export const amountsIn = (
  priceList: PriceList,
  currency: string | null,
): { readonly currency: string | null; readonly amount: (credits: string) => string } => {
  if (currency === null) return { currency, amount: (credits) => credits };
  const amount = (credits: string): string => inCurrency(credits, currency, priceList.currencies);
  amount('0');
  return { currency, amount };
};

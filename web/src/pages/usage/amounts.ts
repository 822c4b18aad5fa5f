/** Decimal text with its currency: "12.50 USD", "0.0042 credits". Digits are not lost: long fractions are cut for the eye at the sixth place. */
export const amount = (credits: string, currency: string | null): string => {
  const [whole = '0', fraction = ''] = credits.split('.');
  const shown = fraction.slice(0, 6).replace(/0+$/, '').padEnd(2, '0');
  return `${whole}.${shown} ${currency ?? 'credits'}`;
};

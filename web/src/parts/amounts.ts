/** Significant digits: hundredths from 1 on, below that the first three that are not zero. */
const MEANINGFUL = 3;

/** Decimal text with its currency, rounded for reading: "12.50 USD", "0.0042 credits". The CSV has every digit. */
export const amount = (credits: string, currency: string | null): string => `${rounded(credits)} ${currency ?? 'credits'}`;

const rounded = (credits: string): string => {
  const value = Number(credits);
  if (!Number.isFinite(value)) return credits;
  if (value === 0) return '0.00';
  if (Math.abs(value) >= 1) return WHOLE.format(value);
  if (Math.abs(value) < SMALLEST) return `<${SMALLEST}`;
  return SMALL.format(value);
};

const SMALLEST = 0.000_001;
const WHOLE = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const SMALL = new Intl.NumberFormat('en', { maximumSignificantDigits: MEANINGFUL, minimumFractionDigits: 2, maximumFractionDigits: 6 });

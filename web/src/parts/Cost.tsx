import { amount } from './amounts.ts';

interface CostProps {
  /** Decimal text. */
  readonly credits: string;
  /** `null`: credits. */
  readonly currency?: string | null;
}

/** A cost, rounded for reading. The title has every digit. */
export const Cost = ({ credits, currency = null }: CostProps) => (
  <span title={`${credits} ${currency ?? 'credits'}`}>{amount(credits, currency)}</span>
);

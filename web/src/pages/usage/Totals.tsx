import { amount } from '../../parts/amounts.ts';
import { bytes, count, duration } from '../../parts/format.ts';
import type { Report } from './aggregates.ts';
import { audioIn, tokensIn } from './figures.ts';

/** The figures of the whole period, side by side. */
export const Totals = ({ report: { totalMeasurements, currency } }: { readonly report: Report }) => {
  const { credits, streamsCount, measurements } = totalMeasurements;
  const of = (name: string): number => measurements[name] ?? 0;
  const figures = [
    ['Cost', amount(credits, currency)],
    ['Streams', count(streamsCount)],
    ['Audio', audioIn(totalMeasurements)],
    ['Working time', duration(of('executionTime'))],
    ['Read', bytes(of('ingressSize'))],
    ['Written', bytes(of('egressSize'))],
    ['Tokens', tokensIn(totalMeasurements)],
  ] as const;
  return (
    <section class="card" aria-label="Totals">
      <dl class="figures">
        {figures.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
};

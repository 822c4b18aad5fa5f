import { amount } from '../../parts/amounts.ts';
import { Chart } from '../../parts/Chart.tsx';
import { counted } from '../../parts/format.ts';
import { Card } from '../../parts/Page.tsx';
import type { Report } from './aggregates.ts';

const FORMS: Readonly<Record<Report['granularity'], Intl.DateTimeFormat>> = {
  HOURS: new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', timeZone: 'UTC' }),
  DAYS: new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' }),
  MONTHS: new Intl.DateTimeFormat('en-GB', { month: 'short', year: 'numeric', timeZone: 'UTC' }),
};

const NAMES: Readonly<Record<Report['granularity'], string>> = { HOURS: 'hour', DAYS: 'day', MONTHS: 'month' };

/** Cost by hour, day or month. */
export const OverTime = ({ report: { aggregatedMeasurements, granularity, currency } }: { readonly report: Report }) => {
  const points = aggregatedMeasurements.map(({ startTimestamp, credits, streamsCount }) => ({
    x: Date.parse(startTimestamp),
    y: Number(credits),
    xText: FORMS[granularity].format(new Date(startTimestamp)),
    yText: amount(credits, currency),
    detail: counted(streamsCount, 'stream'),
  }));
  return (
    <Card title={`Cost by ${NAMES[granularity]}`}>
      <Chart
        label={`${currency ?? 'Credits'}, ${points.length} ${NAMES[granularity]}s. Point at a bar for its value`}
        kind="bars"
        points={points}
        format={axis}
      />
    </Card>
  );
};

const AXIS = new Intl.NumberFormat('en', { maximumSignificantDigits: 2, notation: 'compact' });

const axis = (value: number): string => AXIS.format(value);

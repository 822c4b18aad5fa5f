import { Chart } from '../../parts/Chart.tsx';
import { duration, moment } from '../../parts/format.ts';
import { Card } from '../../parts/Page.tsx';
import type { Attempt } from './deliveries.ts';
import { useDeliveries } from './webhooks.ts';

const NEWEST = 100;
const GROUPS = 20;

/** Success and latency of the newest attempts, oldest first; nothing before there are two. */
export const Health = ({ id }: { readonly id: string }) => {
  const { data } = useDeliveries(id, { size: NEWEST });
  const attempts = (data?.content ?? []).flatMap((delivery) => delivery.attempts).sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
  if (attempts.length < 2) return null;
  const groups = grouped(attempts);
  return (
    <div class="halves">
      <Card title="Success">
        <Chart
          label="Share of attempts that were delivered"
          kind="bars"
          range={[0, 1]}
          points={groups.map((group, n) => successOf(group, n))}
          format={percent}
        />
      </Card>
      <Card title="Latency">
        <Chart label="Time to the answer, median" kind="line" points={groups.map((group, n) => latencyOf(group, n))} format={duration} />
      </Card>
    </div>
  );
};

/** Groups of neighbours, at most twenty of them. */
const grouped = (attempts: readonly Attempt[]): readonly (readonly Attempt[])[] => {
  const size = Math.ceil(attempts.length / GROUPS);
  return Array.from({ length: Math.ceil(attempts.length / size) }, (_, n) => attempts.slice(n * size, (n + 1) * size));
};

const percent = (share: number): string => `${Math.round(share * 100)} %`;

const successOf = (group: readonly Attempt[], x: number) => {
  const delivered = group.filter(({ outcome }) => outcome === 'delivered').length;
  const share = delivered / group.length;
  return { x, y: share, xText: startOf(group), yText: percent(share), detail: `${delivered} of ${group.length}`, tone: toneOf(share) };
};

const toneOf = (share: number): 'good' | 'warn' | 'bad' => (share === 1 ? 'good' : share >= 0.5 ? 'warn' : 'bad');

const latencyOf = (group: readonly Attempt[], x: number) => {
  const sorted = group.map(({ milliseconds }) => milliseconds).sort((a, b) => a - b);
  const median = sorted[sorted.length >> 1] ?? 0;
  return { x, y: median, xText: startOf(group), yText: duration(median) };
};

const startOf = ([first]: readonly Attempt[]): string => (first ? moment(first.at) : '');

import { useState } from 'preact/hooks';
import { useWidth } from './useWidth.ts';

/** A value of a chart: its position and height, and the labels of both. */
export interface ChartPoint {
  readonly x: number;
  readonly y: number;
  /** "21 Nov", "0:12". */
  readonly xText: string;
  readonly yText: string;
  /** More about it, shown with the value. */
  readonly detail?: string;
  /** Colours it. */
  readonly tone?: 'good' | 'bad' | 'warn';
}

interface ChartProps {
  /** Description in a sentence: screen readers get this and the table. */
  readonly label: string;
  readonly points: readonly ChartPoint[];
  readonly kind: 'line' | 'bars';
  /** Lowest and highest value; by default from 0 to the highest there is. */
  readonly range?: readonly [low: number, high: number];
  /** Writes the values at the axis. */
  readonly format: (value: number) => string;
  readonly height?: number;
}

// Of a letter of the axes, about.
const LETTER = 6.8;
const LINE = 14;
const TOP = 8;
const RIGHT = 8;

/** A line or bars over an axis. The value under the pointer, or chosen with the arrow keys, is shown above it; a table below has all of them. */
export const Chart = ({ label, points, kind, range, format, height = 180 }: ChartProps) => {
  const { ref, width } = useWidth<HTMLDivElement>(600);
  const [chosen, choose] = useState<number | null>(null);
  const [low, high] = range ?? [0, roundUp(Math.max(0, ...points.map(({ y }) => y)))];
  const ticks = low < 0 ? [low, 0, high] : [0, high / 2, high];
  const left = Math.max(52, 12 + LETTER * Math.max(...ticks.map((value) => format(value).length)));
  const [first, last] = [points[0]?.xText ?? '', points.length > 1 ? (points.at(-1)?.xText ?? '') : ''];
  // If both do not fit into one line, the last is below the first.
  const isNarrow = LETTER * (first.length + last.length + 2) > width - left - RIGHT;
  const at = geometry({ points, kind, width, height, range: [low, high], left, bottom: isNarrow ? 8 + 2 * LINE : 8 + LINE });
  const point = chosen === null ? undefined : points[chosen];
  const step = (by: number) => choose(Math.min(points.length - 1, Math.max(0, (chosen ?? (by > 0 ? -1 : points.length)) + by)));
  return (
    <figure class="chart">
      <p class="chart-value" aria-live="polite">
        {point ? (
          <>
            <strong>{point.yText}</strong> <span class="quiet">{point.xText}</span> {point.detail}
          </>
        ) : (
          <span class="quiet">{label}</span>
        )}
      </p>
      <div
        ref={ref}
        class="chart-frame"
        role="group"
        aria-label={`${label}. The arrow keys go from value to value.`}
        tabIndex={0}
        onPointerMove={(event) => choose(at.nearest(event.clientX - event.currentTarget.getBoundingClientRect().left))}
        onPointerLeave={() => choose(null)}
        onBlur={() => choose(null)}
        onKeyDown={(event) => {
          const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
          if (by === 0) return;
          event.preventDefault();
          step(by);
        }}
      >
        <svg width={width} height={height} aria-hidden="true">
          {ticks.map((value) => (
            <g key={value}>
              <line class={value === 0 ? 'axis' : 'grid'} x1={left} x2={width - RIGHT} y1={at.y(value)} y2={at.y(value)} />
              <text x={left - 8} y={at.y(value) + 4} text-anchor="end">
                {format(value)}
              </text>
            </g>
          ))}
          {kind === 'line' && <polyline class="line" points={points.map((one) => `${at.x(one.x)},${at.y(one.y)}`).join(' ')} />}
          {points.map((one, n) =>
            kind === 'line' ? (
              <circle key={one.x} class={`dot ${one.tone ?? ''}`} cx={at.x(one.x)} cy={at.y(one.y)} r={n === chosen ? 5 : 3} />
            ) : (
              <rect
                key={one.x}
                class={`bar ${one.tone ?? ''} ${n === chosen ? 'chosen' : ''}`}
                x={at.x(one.x) - at.bar / 2}
                width={at.bar}
                y={Math.min(at.y(Math.max(one.y, 0)), at.y(0) - (one.tone === undefined ? 0 : 2))}
                height={Math.max(one.y === 0 && one.tone === undefined ? 0 : 2, Math.abs(at.y(one.y) - at.y(0)))}
                rx={Math.min(2, at.bar / 3)}
              />
            ),
          )}
          <text x={left} y={isNarrow ? height - 4 - LINE : height - 4}>
            {first}
          </text>
          <text x={width - RIGHT} y={height - 4} text-anchor="end">
            {last}
          </text>
        </svg>
      </div>
      <details class="chart-table">
        <summary>As a table</summary>
        <table>
          <caption class="visually-hidden">{label}</caption>
          <tbody>
            {points.map(({ x, xText, yText, detail }) => (
              <tr key={x}>
                <th scope="row">{xText}</th>
                <td class="numeric">{yText}</td>
                {detail && <td>{detail}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </figure>
  );
};

interface GeometryOf {
  readonly points: readonly ChartPoint[];
  readonly kind: ChartProps['kind'];
  readonly width: number;
  readonly height: number;
  readonly range: readonly [number, number];
  /** Room for the axes. */
  readonly left: number;
  readonly bottom: number;
}

/** From values to places in the drawing. */
const geometry = ({ points, kind, width, height, range: [low, high], left, bottom }: GeometryOf) => {
  const xs = points.map(({ x }) => x);
  const [first, last] = [Math.min(...xs), Math.max(...xs)];
  const bar = Math.max(2, Math.min(40, ((width - left - RIGHT) / Math.max(1, points.length)) * 0.7));
  const inset = kind === 'bars' ? bar / 2 + 2 : 4;
  const x = (value: number) =>
    first === last ? (left + width - RIGHT) / 2 : left + inset + ((value - first) / (last - first)) * (width - left - RIGHT - 2 * inset);
  const y = (value: number) => TOP + (1 - (value - low) / (high - low || 1)) * (height - TOP - bottom);
  const nearest = (place: number): number | null =>
    points.length === 0
      ? null
      : points.reduce((best, one, n) => (Math.abs(x(one.x) - place) < Math.abs(x(points[best]?.x ?? 0) - place) ? n : best), 0);
  return { x, y, bar, nearest };
};

/** The next of 1, 2, 5, 10, 20 ... */
const roundUp = (value: number): number => {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 5, 10].find((factor) => factor * power >= value) ?? 10) * power;
};

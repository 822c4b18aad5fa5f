import { scaleLinear } from 'd3-scale';
import { line } from 'd3-shape';

/** Points of one line, x ascending. */
export interface Series {
  readonly name: string;
  readonly points: readonly (readonly [x: number, y: number])[];
}

export interface Panel {
  readonly title: string;
  readonly series: readonly Series[];
}

const WIDTH = 760;
const LEFT = 70;
const COLOURS = ['#2563eb', '#d97706', '#059669', '#dc2626', '#7c3aed'];
// Readable on white and on black, since the pages that show it may be either.
const INK = '#7a8290';

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

const label = (x: number, y: number, text: string, more = ''): string =>
  `<text x="${x}" y="${y}" font-size="12" fill="${INK}" ${more}>${escaped(text)}</text>`;

const PANEL_HEIGHT = 190;

/** Panels below each other, as an SVG drawing; `xName` labels their common x axis. */
export const lineChart = (title: string, xName: string, panels: readonly Panel[]): string =>
  [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${panels.length * PANEL_HEIGHT + 20}" font-family="system-ui, sans-serif" role="img">`,
    `<title>${escaped(title)}</title>`,
    ...panels.flatMap((panel, index) => panelParts(panel, index * PANEL_HEIGHT, index === panels.length - 1 ? xName : null)),
    '</svg>\n',
  ].join('\n');

const panelParts = ({ title, series }: Panel, top: number, xName: string | null): string[] => {
  const points = series.flatMap((one) => one.points);
  const x = scaleLinear([Math.min(...points.map(([at]) => at)), Math.max(...points.map(([at]) => at))], [LEFT, WIDTH - 20]);
  const y = scaleLinear([0, Math.max(1e-9, ...points.map(([, value]) => value))], [top + 150, top + 40]).nice(4);
  const path = line<readonly [number, number]>(
    ([at]) => Math.round(x(at) * 10) / 10,
    ([, value]) => Math.round(y(value) * 10) / 10,
  );
  return [
    label(LEFT, top + 22, title, 'font-weight="600"'),
    ...y
      .ticks(4)
      .flatMap((tick) => [
        `<line x1="${LEFT}" x2="${WIDTH - 20}" y1="${y(tick)}" y2="${y(tick)}" stroke="${INK}" stroke-opacity="0.25"/>`,
        label(LEFT - 8, y(tick) + 4, y.tickFormat(4, '~s')(tick), 'text-anchor="end"'),
      ]),
    ...x.ticks(8).map((tick) => label(x(tick), top + 168, String(tick), 'text-anchor="middle"')),
    ...(xName === null ? [] : [label(WIDTH - 20, top + 186, xName, 'text-anchor="end"')]),
    ...series.map(
      (one, n) => `<path d="${path(one.points) ?? ''}" fill="none" stroke="${COLOURS[n % COLOURS.length]}" stroke-width="1.6"/>`,
    ),
    ...(series.length < 2
      ? []
      : series.map((one, n) => label(LEFT + 220 + n * 130, top + 22, `— ${one.name}`, `style="fill:${COLOURS[n % COLOURS.length]}"`))),
  ];
};

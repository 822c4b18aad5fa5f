import { relative } from 'node:path';
import { MultiBar, type SingleBar } from 'cli-progress';
import { type Clock, clockText } from '../../clock.ts';
import type { Outcome } from './outcome.ts';

/** How the command tells people, on stderr, what it does. */
export interface Report {
  /** A source has been begun. */
  begin(file: string, bytes: number | null): FileReport;
  /** A line of its own. */
  say(line: string): void;
  end(outcomes: readonly Outcome[]): void;
}

export interface FileReport {
  sent(bytes: number, total: number | null): void;
  waiting(reason: string): void;
  end(outcome: Outcome): void;
  /** It is begun again later. */
  drop(): void;
}

const lineOf = ({ file, status, outputs, error }: Outcome): string => {
  if (status === 'failed') return `${file}: failed. ${error}`;
  const paths = outputs.map((path) => shorter(relative('.', path), path)).join(', ');
  if (status === 'skipped') return `${file}: skipped, already in ${paths}`;
  return paths === '' ? `${file}: done` : `${file}: done, ${paths}`;
};

const shorter = (a: string, b: string): string => (a.length < b.length ? a : b);

const countsOf = (outcomes: readonly Outcome[]): string => {
  const count = (wanted: Outcome['status']) => outcomes.filter(({ status }) => status === wanted).length;
  return `${count('done')} done, ${count('skipped')} skipped, ${count('failed')} failed`;
};

/** A line for each source that has ended. */
export class LineReport implements Report {
  readonly #write: (text: string) => void;

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  begin(file: string): FileReport {
    return {
      sent: () => undefined,
      waiting: (reason) => this.say(`${file}: waiting. ${reason}`),
      end: (outcome) => this.say(lineOf(outcome)),
      drop: () => undefined,
    };
  }

  say(line: string): void {
    this.#write(`${line}\n`);
  }

  end(outcomes: readonly Outcome[]): void {
    if (outcomes.length > 1) this.say(countsOf(outcomes));
  }
}

const WIDTH = 100;
/** Part of a bar that shows the upload. */
const UPLOAD = 10;

/** A bar for each source that runs, and one for all with the time left. `total`: how many sources there are; `null` while watching. */
export class BarReport implements Report {
  readonly #clock: Clock;
  readonly #bars: MultiBar;
  readonly #all: SingleBar | null;
  readonly #running = new Map<SingleBar, () => void>();
  readonly #began: number;
  #ended = 0;
  /** Of the files that are done. */
  readonly #paced = { files: 0, bytes: 0, milliseconds: 0, at: 0 };

  constructor(clock: Clock, stream: NodeJS.WriteStream, total: number | null) {
    this.#clock = clock;
    this.#began = clock.monotonic();
    this.#bars = new MultiBar({ ...LOOK, stream });
    this.#bars.on('redraw-pre', () => {
      for (const advance of this.#running.values()) advance();
      this.#all?.update(this.#ended, { label: this.#left() });
    });
    this.#all = total !== null && total > 1 ? this.#bars.create(total, 0, { name: '', label: '' }, { ...LOOK, format: ALL }) : null;
  }

  begin(file: string, bytes: number | null): FileReport {
    const bar = this.#bars.create(WIDTH, 0, { name: short(file), label: 'waiting' });
    let [began, uploaded] = [this.#clock.monotonic(), bytes === null];
    let waiting: string | null = null;
    this.#running.set(bar, () => {
      if (!uploaded) return;
      const elapsed = this.#clock.monotonic() - began;
      bar.update(UPLOAD + (WIDTH - UPLOAD) * this.#share(bytes, elapsed), { label: waiting ?? `transcribing, ${clockText(elapsed)}` });
    });
    const remove = (): void => {
      this.#running.delete(bar);
      this.#bars.remove(bar);
    };
    return {
      sent: (sent, total) => {
        waiting = null;
        uploaded = total === null || sent >= total;
        if (uploaded) began = this.#clock.monotonic();
        bar.update(total === null || total === 0 ? 0 : (UPLOAD * sent) / total, { label: 'sending' });
      },
      waiting: (reason) => {
        waiting = `waiting. ${reason}`;
      },
      drop: () => remove(),
      end: (outcome) => {
        remove();
        this.#ended += 1;
        if (outcome.status === 'done') this.#pace(bytes ?? 0, this.#clock.monotonic() - began);
        this.say(lineOf(outcome));
      },
    };
  }

  say(line: string): void {
    this.#bars.log(`${line}\n`);
  }

  end(outcomes: readonly Outcome[]): void {
    this.#bars.update();
    this.#bars.stop();
    if (outcomes.length > 1) process.stderr.write(`${countsOf(outcomes)} in ${clockText(this.#clock.monotonic() - this.#began)}\n`);
  }

  #pace(bytes: number, milliseconds: number): void {
    this.#paced.files += 1;
    this.#paced.bytes += bytes;
    this.#paced.milliseconds += milliseconds;
    this.#paced.at = this.#clock.monotonic();
  }

  /** How far a file probably is, by the pace of the files before it. 0 to 0.95. */
  #share(bytes: number | null, elapsed: number): number {
    const { bytes: known, milliseconds } = this.#paced;
    return bytes === null || known === 0 ? 0 : Math.min(0.95, (elapsed * known) / (milliseconds * Math.max(1, bytes)));
  }

  /** By the pace of the files that are done. Empty before the first one. */
  #left(): string {
    const { files, at } = this.#paced;
    const rest = (this.#all?.getTotal() ?? 0) - this.#ended;
    if (files === 0 || rest <= 0) return '';
    const milliseconds = ((at - this.#began) / files) * rest - (this.#clock.monotonic() - at);
    return `${clockText(Math.max(0, milliseconds))} left`;
  }
}

const LOOK = {
  format: '{bar} {name}  {label}',
  barsize: 24,
  barCompleteChar: '#',
  barIncompleteChar: '.',
  hideCursor: true,
  clearOnComplete: true,
  fps: 5,
  // Bars move up when one above them is removed.
  forceRedraw: true,
};
const ALL = '{bar} {value} of {total}  {label}';

/** The end of a path that fits beside a bar. */
const short = (file: string): string => (file.length <= 40 ? file : `...${file.slice(-37)}`);

import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** Gauges of the default metrics whose names end in `total`, which `promtool check metrics` rejects. */
const MISNAMED = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];

export interface MetricText {
  /** Without the common prefix and suffix. */
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly string[];
}

/** A counter whose label values are few and known in advance. Adding costs one lookup; the registry reads it when scraped. */
export interface Tally {
  add(values: readonly string[], by?: number): void;
}

/** The present value of a gauge: one number, or one for each set of label values. */
export type Reading = number | readonly (readonly [values: readonly string[], value: number])[];

export const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

const labelled = (labels: readonly string[], values: readonly string[]): Record<string, string> =>
  Object.fromEntries(labels.map((label, index) => [label, values[index] ?? '']));

const rowsOf = (reading: Reading): Exclude<Reading, number> => (typeof reading === 'number' ? [[[], reading]] : reading);

/** The metrics of one node under `tributary_`, with Prometheus's naming and base units. */
export class Metrics {
  readonly #registry = new Registry();

  counter({ name, help, labels = [] }: MetricText): Tally {
    const counts = new Map<string, { readonly values: readonly string[]; count: number }>();
    this.counterOf({ name, help, labels }, () => Array.from(counts.values(), ({ values, count }) => [values, count] as const));
    if (labels.length === 0) counts.set('', { values: [], count: 0 });
    return {
      add(values, by = 1) {
        const key = values.length === 1 ? (values[0] ?? '') : values.join('\n');
        const known = counts.get(key);
        if (known) known.count += by;
        else counts.set(key, { values, count: by });
      },
    };
  }

  /** A counter kept elsewhere, read when scraped. */
  counterOf({ name, help, labels = [] }: MetricText, read: () => Reading): void {
    const counter = new Counter({
      name: `tributary_${name}_total`,
      help,
      labelNames: [...labels],
      registers: [this.#registry],
      collect() {
        counter.reset();
        for (const [values, value] of rowsOf(read())) counter.inc(labelled(labels, values), value);
      },
    });
  }

  histogram({ name, help, labels = [] }: MetricText, buckets: number[]): Histogram {
    return new Histogram({ name: `tributary_${name}`, help, labelNames: [...labels], buckets, registers: [this.#registry] });
  }

  /** `read` is called when scraped. If it rejects (a store is away), the gauge is left out. */
  gauge({ name, help, labels = [] }: MetricText, read: () => Reading | Promise<Reading>): void {
    const gauge = new Gauge({
      name: `tributary_${name}`,
      help,
      labelNames: [...labels],
      registers: [this.#registry],
      async collect() {
        const reading = await Promise.resolve()
          .then(read)
          .catch((): Reading => []);
        gauge.reset();
        // Without labels a reset would leave a zero that was never measured.
        if (labels.length === 0) gauge.remove();
        for (const [values, value] of rowsOf(reading)) gauge.set(labelled(labels, values), value);
      },
    });
  }

  /** All metrics in Prometheus's text format, with Node's and the process's own. */
  async text(): Promise<{ contentType: string; text: string }> {
    const both = Registry.merge([this.#registry, processMetrics()]);
    return { contentType: both.contentType, text: await both.metrics() };
  }
}

let ofProcess: Registry | null = null;

/**
 * Memory, CPU, garbage collection and event-loop delay, once per process, measured from the first scrape. Sampling the delay wakes the process 100 times a
 * second: a server that is not scraped is spared that.
 */
const processMetrics = (): Registry => {
  if (!ofProcess) {
    ofProcess = new Registry();
    collectDefaultMetrics({ register: ofProcess });
    for (const name of MISNAMED) ofProcess.removeSingleMetric(name);
  }
  return ofProcess;
};

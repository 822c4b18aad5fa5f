import type { Clock } from '../clock.ts';
import { type Processor, ProcessorError } from '../processors/processor.ts';
import type { Processors } from '../processors/registry.ts';
import { type AdmissionLoad, LANES } from '../processors/runner/admission.ts';
import { type Metrics, SECONDS } from './metrics.ts';

/** Wraps the processors and measures number and duration of their runs by operation type. */
export const measuredProcessors = (processors: Processors, metrics: Metrics, clock: Clock): Processors => {
  const seconds = metrics.histogram(
    { name: 'processor_run_duration_seconds', help: 'One attempt of a processor, by how it ended.', labels: ['operation', 'outcome'] },
    [...SECONDS, 1_800, 7_200],
  );
  const running = new Map(processors.list().map(({ declaration }) => [declaration.operationType, 0]));
  metrics.gauge({ name: 'processor_runs_active', help: 'Runs of processors under way on this node.', labels: ['operation'] }, () =>
    [...running].map(([operation, runs]) => [[operation], runs]),
  );
  const measured = (processor: Processor): Processor => {
    const operation = processor.declaration.operationType;
    const add = (by: number) => running.set(operation, (running.get(operation) ?? 0) + by);
    return {
      ...processor,
      async run(context) {
        const began = clock.monotonic();
        let outcome = 'completed';
        add(1);
        try {
          return await processor.run(context);
        } catch (error) {
          const earned = error instanceof ProcessorError ? 'failed' : 'error';
          outcome = context.signal.aborted ? 'aborted' : earned;
          throw error;
        } finally {
          add(-1);
          seconds.observe({ operation, outcome }, (clock.monotonic() - began) / 1_000);
        }
      },
    };
  };
  const all = new Map(processors.list().map((processor) => [processor.declaration.id, measured(processor)]));
  return { get: (id) => all.get(processors.get(id)?.declaration.id ?? ''), list: () => [...all.values()] };
};

/** Number of running and waiting runs. */
export const runnerMetrics = (metrics: Metrics, load: () => AdmissionLoad): void => {
  metrics.gauge(
    { name: 'processor_queue', help: 'Runs of processors by lane, running or waiting for their turn.', labels: ['lane', 'state'] },
    () => {
      const { running, waiting } = load();
      return LANES.flatMap((lane) => [[[lane, 'running'], running[lane]] as const, [[lane, 'waiting'], waiting[lane]] as const]);
    },
  );
};

import type { Quantities } from '../../domain/stream/streamConfiguration.ts';
import type { Json, JsonObject } from '../../json.ts';
import type { RunEngine, RunReport } from '../processor.ts';

/** How an attempt ended. Also stored in the seal of its output, so that the work of a worker that dies before the log has it is not lost. */
export interface Outcome {
  readonly attempt: number;
  readonly description: string | null;
  readonly quantities: Quantities;
  readonly engine: RunEngine | null;
}

export interface Measured {
  readonly executionTime: number;
  readonly ingressSize: number;
  readonly egressSize: number;
  readonly storageSize: number;
}

export const quantitiesOf = (measured: Measured, report: RunReport): Quantities => ({
  ...measured,
  executionTime: Math.round(measured.executionTime),
  processedAudioLength: report.processedAudioLength ?? null,
  processedTokens: report.processedTokens ?? null,
  processedInputTokens: report.processedInputTokens ?? null,
  processedOutputTokens: report.processedOutputTokens ?? null,
});

export const attributesOf = ({ attempt, description, quantities, engine }: Outcome): JsonObject => ({
  attempt,
  description,
  quantities: { ...quantities },
  engine: engine && { ...engine },
});

const amount = (value: Json | undefined): number | null => (typeof value === 'number' ? value : null);

const engineOf = (value: Json | undefined): RunEngine | null => {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || typeof value.engine !== 'string') return null;
  return { engine: value.engine, model: typeof value.model === 'string' ? value.model : null };
};

/** The outcome in a sealed output; `null` if it is of another attempt. */
export const outcomeOf = ({ attempt, description, quantities, engine }: JsonObject, expected: number): Outcome | null => {
  if (attempt !== expected || typeof quantities !== 'object' || quantities === null || Array.isArray(quantities)) return null;
  return {
    attempt,
    description: typeof description === 'string' ? description : null,
    engine: engineOf(engine),
    quantities: {
      executionTime: amount(quantities.executionTime),
      storageSize: amount(quantities.storageSize),
      ingressSize: amount(quantities.ingressSize),
      egressSize: amount(quantities.egressSize),
      processedAudioLength: amount(quantities.processedAudioLength),
      processedTokens: amount(quantities.processedTokens),
      processedInputTokens: amount(quantities.processedInputTokens),
      processedOutputTokens: amount(quantities.processedOutputTokens),
    },
  };
};

import { NOTHING_USED } from '../../domain/stream/decisions.ts';
import type { Quantities } from '../../domain/stream/streamConfiguration.ts';
import type { JsonObject } from '../../json.ts';
import type { RunEngine, RunReport } from '../processor.ts';

/** The end of an attempt. Also stored in the seal of its output, so that the work of a worker that dies before the log has it is not lost. */
export interface Outcome {
  readonly attempt: number;
  readonly description: string | null;
  readonly quantities: Quantities;
  readonly engine: RunEngine | null;
  /** Absent in seals of earlier versions. */
  readonly warnings?: readonly string[];
}

export interface Measured {
  readonly executionTime: number;
  readonly ingressSize: number;
  readonly egressSize: number;
  readonly storageSize: number;
}

export const quantitiesOf = (measured: Measured, { description: _, ...used }: RunReport): Quantities => ({
  ...NOTHING_USED,
  ...measured,
  executionTime: Math.round(measured.executionTime),
  ...used,
});

export const attributesOf = ({ attempt, description, quantities, engine, warnings = [] }: Outcome): JsonObject => ({
  attempt,
  description,
  quantities: { ...quantities },
  engine: engine && { ...engine },
  warnings: [...warnings],
});

/**
 * The outcome in a sealed output; `null` if it is of another attempt. Safe cast: only a run seals its output, with `attributesOf`. An earlier version
 * may have sealed it without a quantity that is measured now.
 */
export const outcomeOf = (attributes: JsonObject, expected: number): Outcome | null => {
  const sealed = attributes as unknown as Outcome;
  return sealed.attempt === expected ? { ...sealed, quantities: { ...NOTHING_USED, ...sealed.quantities } } : null;
};

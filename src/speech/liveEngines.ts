import { totalmem } from 'node:os';

/** Peak memory of a moonshine worker (413 MiB measured), with some reserve. */
const WORKER_BYTES = 512 * 1024 ** 2;
/** The target of the bench `speech`: eight simultaneous real-time sessions on two cores. */
const SESSIONS_PER_CORE = 4;
/** One user gets at most half of the places, so fewer than two would leave none. */
const MIN_ENGINES = 2;

/** Memory of this machine, or of its container if that has less, in bytes. */
export const memoryBytes = (): number => {
  const constrained = process.constrainedMemory();
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
};

/** The default of LIVE_ENGINES: four per core, in half of the memory. */
export const defaultLiveEngines = (cores: number, memory: number): number =>
  Math.max(MIN_ENGINES, Math.min(SESSIONS_PER_CORE * cores, Math.floor(memory / 2 / WORKER_BYTES)));

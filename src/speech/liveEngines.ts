import { totalmem } from 'node:os';

/** What a moonshine worker takes at its peak (413 MiB measured), and some reserve. */
const WORKER_BYTES = 512 * 1024 ** 2;
/** Eight sessions at once in real time on two cores are the bar of the bench `speech`. */
const A_CORE = 4;
/** One user has at most half of the places, so less than two would be none. */
const LEAST = 2;

/** Memory of this machine, or of its container if that has less, in bytes. */
export const memoryBytes = (): number => {
  const constrained = process.constrainedMemory();
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
};

/** The default of LIVE_ENGINES: four a core, in half of the memory. */
export const defaultLiveEngines = (cores: number, memory: number): number =>
  Math.max(LEAST, Math.min(A_CORE * cores, Math.floor(memory / 2 / WORKER_BYTES)));

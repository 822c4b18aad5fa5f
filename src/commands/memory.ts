import { LRUCache } from 'lru-cache';
import type { KnownContent } from '../domain/transcript/state.ts';
import type { EventLog, StreamHead } from '../stores/log/eventLog.ts';
import { Serial } from '../stores/serial.ts';

/** A state with the end of its event stream. */
export interface Loaded<State> {
  readonly state: State;
  readonly head: StreamHead;
  /** Length of the events that it was folded from, as JSON. */
  readonly characters: number;
}

/** A cached state, and the decider that folded it. */
export interface Remembered extends Loaded<unknown> {
  readonly decider: unknown;
}

/** The transcript that one attempt of a stream made, and some of its revisions. */
export interface KnownTranscript {
  readonly attempt: number;
  /** Number of words that the machine wrote. */
  readonly words: number;
  readonly language: string | null;
  /** Length of the recording in milliseconds, as far as the transcription says. */
  readonly duration: number;
  readonly machine: KnownContent;
  /** The revisions that were made last, newest first. */
  readonly recent: readonly KnownContent[];
}

/** Cached states and contents of a log, and the queue of commands for each event stream. */
interface Memory {
  /** By event stream. Replaced when all states are forgotten. A command that is under way then stores its state in the old object, which is no longer read. */
  states: LRUCache<string, Remembered>;
  /** Contents of events, by event. Replaced with the states. */
  contents: LRUCache<string, object>;
  /** Transcripts by stream. Replaced with the states. */
  transcripts: LRUCache<string, KnownTranscript>;
  readonly turns: Serial;
  /** Changes of templates and declarations, which use the content that they have read. */
  readonly contentTurns: Serial;
  /** Correlation ids of the attempts that this node recently worked on, by holder. */
  readonly correlations: LRUCache<string, string>;
  /** States that are being read from their beginning, by event stream. */
  readonly loading: Map<string, Promise<unknown>>;
}

/** More than the uploads of a burst that wait for their runs, as a rule. */
const MOST = 1_024;
/** Limits of all cached states, and of all cached contents, in characters of JSON. */
const [STATES_CHARACTERS, CONTENTS_CHARACTERS] = [16_777_216, 8_388_608];

const cache = <T extends object>(most: number, charactersOf: (value: T) => number): LRUCache<string, T> =>
  // A larger one is kept too: reading it again each time would cost more.
  new LRUCache({ max: MOST, maxSize: most, sizeCalculation: (value) => Math.min(1 + charactersOf(value), most / 2) });

/** Words of all cached transcripts: each takes some 300 bytes. */
const TRANSCRIPT_WORDS = 300_000;

const empty = (): Pick<Memory, 'states' | 'contents' | 'transcripts'> => ({
  states: cache<Remembered>(STATES_CHARACTERS, ({ characters }) => characters),
  contents: cache<object>(CONTENTS_CHARACTERS, (content) => JSON.stringify(content).length),
  transcripts: cache<KnownTranscript>(TRANSCRIPT_WORDS, ({ words }) => words),
});

// Beside the log, because every command already receives the log.
const memories = new WeakMap<EventLog, Memory>();

export const memoryOf = (log: EventLog): Memory => {
  const known = memories.get(log);
  if (known) return known;
  const correlations = new LRUCache<string, string>({ max: 10_000 });
  const memory: Memory = { ...empty(), turns: new Serial(), contentTurns: new Serial(), correlations, loading: new Map() };
  memories.set(log, memory);
  return memory;
};

/** Drops all cached states and contents: they contain personal members in readable form. */
export const forgetStates = (log: EventLog): void => {
  Object.assign(memoryOf(log), empty());
};

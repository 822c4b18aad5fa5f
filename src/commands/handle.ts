import { conflict, unavailable } from '../domain/problem.ts';
import { DamagedEventStream, type Position, StoreUnavailable, type TopicBytes, WrongExpectedRevision } from '../stores/eventStore.ts';
import type { AppendContext, DomainEvent, EventLog, LogAppended, RecordedEvent, StreamHead } from '../stores/log/eventLog.ts';
import { eventStreamPages } from '../stores/pages.ts';
import { type Loaded, memoryOf } from './memory.ts';

/** An aggregate: its initial state, and how each event changes it. Decisions are functions of the state that return events. */
export interface Decider<State, E extends DomainEvent> {
  initialState(): State;
  /** `time` is that of the event, ISO 8601. */
  evolve(state: State, event: E, time: string): State;
}

export interface Handled<State> {
  readonly state: State;
  /** The appended events; empty if there was nothing to do. */
  readonly events: readonly RecordedEvent[];
  /** Position of the last appended event; `null` if nothing was appended. */
  readonly position: Position | null;
  /** Revision of the state; -1n before the first event. */
  readonly revision: bigint;
}

/** What every command needs. */
export interface CommandDeps {
  readonly log: EventLog;
}

export interface Command<State, E extends DomainEvent> {
  readonly eventStream: string;
  readonly decider: Decider<State, E>;
  /** Pure, and may run several times. Throws a `Problem` to refuse. */
  readonly decide: (state: State) => readonly E[];
  readonly context: AppendContext | ((state: State) => AppendContext);
  /** Set it if the event stream is probably new. The first try skips the read; after a conflict the events are read. */
  readonly expectNew?: boolean;
  /**
   * The sealed topic of the events. A small one is stored with the events, or before them; a log that keeps topics does not store it if there is
   * nothing to append. That of a resumable upload is durable already.
   */
  readonly topic?: TopicBytes;
}

/** Events read at a time. Each may take 1 MiB of memory. */
const PAGE = 20;
/** Conflicts can only come from other nodes: this node's commands on one event stream run one after another. */
const MAX_CONFLICTS = 32;

/**
 * The content of one event, such as a template. States do not hold it. `null` if there is no such event. Each event stream needs the same `contentIn`
 * every time, because contents are cached.
 * Rejects with a `Problem` 503 if the log cannot be read.
 */
export const contentAt = async <Content extends object>(
  log: EventLog,
  eventStream: string,
  revision: number,
  contentIn: (event: RecordedEvent) => Content | null,
): Promise<Content | null> => {
  const { contents } = memoryOf(log);
  const name = `${eventStream}@${revision}`;
  const known = contents.get(name) as Content | undefined;
  if (known) return known;
  const [event] = await log.readStream(eventStream, { from: BigInt(revision), limit: 1 }).catch(orUnavailable);
  const content = event?.revision === BigInt(revision) ? contentIn(event) : null;
  if (content) contents.set(name, content);
  return content;
};

const beginning = <State, E extends DomainEvent>(decider: Decider<State, E>): Loaded<State> => ({
  state: decider.initialState(),
  head: { revision: 'no stream', hash: null },
  characters: 0,
});

const recall = <State, E extends DomainEvent>(log: EventLog, eventStream: string, decider: Decider<State, E>): Loaded<State> => {
  const remembered = memoryOf(log).states.get(eventStream);
  // The same decider stored it, so it is this decider's state.
  if (remembered?.decider === decider) return remembered as Loaded<State>;
  return beginning(decider);
};

const fold = <State, E extends DomainEvent>(
  decider: Decider<State, E>,
  loaded: Loaded<State>,
  events: readonly RecordedEvent[],
): Loaded<State> => {
  let { state, head, characters } = loaded;
  for (const event of events) {
    // The event stream's types are those of its decider's events.
    state = decider.evolve(state, event as unknown as E, event.metadata.time);
    head = { revision: event.revision, hash: event.metadata.hash };
    characters += JSON.stringify(event.data).length;
  }
  return { state, head, characters };
};

/** Intact events that do not fit together, such as one before the first, mean that the event stream was changed. */
const foldRead = <State, E extends DomainEvent>(
  eventStream: string,
  decider: Decider<State, E>,
  loaded: Loaded<State>,
  events: readonly RecordedEvent[],
): Loaded<State> => {
  try {
    return fold(decider, loaded, events);
  } catch (error) {
    throw new DamagedEventStream(eventStream, error instanceof Error ? error.message : String(error), { cause: error });
  }
};

const nextRevision = ({ revision }: StreamHead): bigint => (revision === 'no stream' ? 0n : revision + 1n);

/** The current state, read from the cached one onwards. Rejects with `StoreUnavailable`. */
const upToDate = async <State, E extends DomainEvent>(
  log: EventLog,
  eventStream: string,
  decider: Decider<State, E>,
): Promise<Loaded<State>> => {
  const { loading } = memoryOf(log);
  // Requests that need a state at the same time read it once. Waits once: a missing event stream leaves nothing to recall.
  const other = loading.get(eventStream);
  if (other) await other;
  const loaded = recall(log, eventStream, decider);
  const reading = readOn(log, eventStream, decider, loaded);
  if (loaded.head.revision !== 'no stream' || loading.has(eventStream)) return reading;
  loading.set(eventStream, reading);
  return reading.finally(() => loading.delete(eventStream));
};

const readOn = async <State, E extends DomainEvent>(
  log: EventLog,
  eventStream: string,
  decider: Decider<State, E>,
  before: Loaded<State>,
): Promise<Loaded<State>> => {
  const { states } = memoryOf(log);
  let loaded = before;
  for await (const events of eventStreamPages(log, eventStream, PAGE, nextRevision(before.head))) {
    loaded = foldRead(eventStream, decider, loaded, events);
    states.set(eventStream, { ...loaded, decider });
  }
  return loaded;
};

/**
 * The state for a first decision without a read: the cached one, or the initial one if no event stream is expected. It may be old. An append at its
 * revision proves that it was current; a refusal or an empty decision is repeated on a fresh read.
 */
const guess = <State, E extends DomainEvent>(
  log: EventLog,
  { eventStream, decider, expectNew }: Command<State, E>,
): Loaded<State> | null => {
  const recalled = recall(log, eventStream, decider);
  return recalled.head.revision !== 'no stream' || expectNew ? recalled : null;
};

/** The result of deciding on a cached state; `null` if the decision must be repeated on a fresh read. */
const decidedOn = <State, E extends DomainEvent>(
  guessed: Loaded<State> | null,
  decide: Command<State, E>['decide'],
): readonly E[] | null => {
  if (!guessed) return null;
  try {
    const decided = decide(guessed.state);
    return decided.length > 0 ? decided : null;
  } catch {
    return null;
  }
};

/** A decided command, ready to be appended. */
interface Decided<State, E extends DomainEvent> {
  readonly command: Command<State, E>;
  readonly loaded: Loaded<State>;
  readonly events: readonly E[];
  readonly context: AppendContext;
}

/** `fresh`: decide on a fresh read only. */
const decidedNow = async <State, E extends DomainEvent>(
  log: EventLog,
  command: Command<State, E>,
  fresh: boolean,
): Promise<Decided<State, E>> => {
  const { eventStream, decider, decide, context } = command;
  const guessed = fresh ? null : guess(log, command);
  const early = decidedOn(guessed, decide);
  const loaded = guessed && early ? guessed : await upToDate(log, eventStream, decider);
  const events = early ?? decide(loaded.state);
  return { command, loaded, events, context: typeof context === 'function' ? context(loaded.state) : context };
};

const unchanged = <State, E extends DomainEvent>({ loaded }: Decided<State, E>): Handled<State> => ({
  state: loaded.state,
  events: [],
  position: null,
  revision: nextRevision(loaded.head) - 1n,
});

const appended = <State, E extends DomainEvent>(
  states: ReturnType<typeof memoryOf>['states'],
  { command: { eventStream, decider }, loaded, context }: Decided<State, E>,
  { events, position, revision, head }: LogAppended,
): Handled<State> => {
  const { state, characters } = fold(decider, loaded, events);
  // Under an idempotency key, an earlier try may be stored with another hash than ours, so the state is not cached.
  if (!context.idempotencyKey) states.set(eventStream, { state, head, characters, decider });
  return { state, events, position, revision };
};

const cycle = async <State, E extends DomainEvent>(log: EventLog, command: Command<State, E>): Promise<Handled<State>> => {
  for (let conflicts = 0; ; conflicts++) {
    const { states } = memoryOf(log);
    // 1. Load and fold. 2. Decide.
    const decided = await decidedNow(log, command, conflicts > 0);
    // 3. If nothing is to be appended, answer.
    if (decided.events.length === 0) return unchanged(decided);
    try {
      // 4. Append expecting the revision read, fold, and answer.
      const { loaded, events, context } = decided;
      return appended(states, decided, await log.append(command.eventStream, loaded.head, events, context, command.topic));
    } catch (error) {
      // 5. On a conflict, repeat the whole cycle.
      if (!(error instanceof WrongExpectedRevision)) throw error;
      if (conflicts >= MAX_CONFLICTS) throw conflict('Too many concurrent changes. Try again.');
    }
  }
};

const orUnavailable = (error: unknown): never => {
  if (error instanceof StoreUnavailable) throw unavailable('The event log is unavailable or cannot write at the moment. Try again.', error);
  throw error;
};

/**
 * The cycle of every command: load and fold, decide, append expecting the revision read. On a conflict the cycle is repeated a limited number of
 * times. Commands on one event stream run one after another. Rejects with whatever `decide` throws, with a `Problem` GENERAL_CONFLICT_ERROR if the
 * conflicts do not end, and with 503 if the log is away (then the outcome is unknown).
 */
export const handle = <State, E extends DomainEvent>({ log }: CommandDeps, command: Command<State, E>): Promise<Handled<State>> =>
  memoryOf(log)
    .turns.run(command.eventStream, () => cycle(log, command))
    .catch(orUnavailable);

/** The current state of an event stream. Rejects with a `Problem` 503 if the log cannot be read. */
export const load = async <State, E extends DomainEvent>(log: EventLog, eventStream: string, decider: Decider<State, E>): Promise<State> =>
  (await upToDate(log, eventStream, decider).catch(orUnavailable)).state;

/** For reactions to an event: the remembered state if it includes the event, otherwise like `load`. On shared stores it saves a request. */
export const loadWith = async <State, E extends DomainEvent>(
  log: EventLog,
  { eventStream, revision }: Pick<RecordedEvent, 'eventStream' | 'revision'>,
  decider: Decider<State, E>,
): Promise<State> => {
  const { state, head } = recall(log, eventStream, decider);
  return head.revision !== 'no stream' && head.revision >= revision ? state : load(log, eventStream, decider);
};

/** The remembered state if it ends with this event, otherwise `undefined`. For reactions that need the state as of their event. */
export const rememberedAt = <State, E extends DomainEvent>(
  log: EventLog,
  { eventStream, revision }: Pick<RecordedEvent, 'eventStream' | 'revision'>,
  decider: Decider<State, E>,
): State | undefined => {
  const { state, head } = recall(log, eventStream, decider);
  return head.revision === revision ? state : undefined;
};

/** The context of events about a resource of `owner`. */
export const forOwner = (context: AppendContext, owner = context.subject): AppendContext => ({ ...context, subject: owner });

export { forgetStates } from './memory.ts';
export type { AppendContext };

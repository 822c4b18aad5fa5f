import type { AppendContext, DomainEvent, EventLog, RecordedEvent } from '../stores/eventLog.ts';
import type { Position } from '../stores/eventStore.ts';

/** An aggregate: how its state starts and what each event does to it. Decisions are functions of the state that return events. */
export interface Decider<State, E extends DomainEvent> {
  initialState(): State;
  /** `time` is that of the event, ISO 8601. */
  evolve(state: State, event: E, time: string): State;
}

export interface Handled<State> {
  readonly state: State;
  /** What was appended; empty when there was nothing to do. */
  readonly events: readonly RecordedEvent[];
  /** Of the last event appended, `null` when nothing was. */
  readonly position: Position | null;
  /** Revision that the state stands at; -1n before the first event. */
  readonly revision: bigint;
}

/** What every command needs. */
export interface CommandDeps {
  readonly log: EventLog;
}

export type { AppendContext };

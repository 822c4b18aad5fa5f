import patches from 'fast-json-patch';
import { isoTime } from '../clock.ts';
import type { AppendedNumbers } from '../domain/appendedNumbers.ts';
import { isAuditEvent, isSealsEvent } from '../domain/audit/events.ts';
import { imports, isImportsEvent } from '../domain/audit/imports.ts';
import { auditTrail, seals } from '../domain/audit/state.ts';
import { isCredentialsEvent } from '../domain/credentials/events.ts';
import { credentialsDecider } from '../domain/credentials/state.ts';
import { isDeliveryEvent } from '../domain/delivery/events.ts';
import { PendingDeliveries } from '../domain/delivery/state.ts';
import { isGroupEvent } from '../domain/group/events.ts';
import { groupDecider } from '../domain/group/state.ts';
import { isPeopleEvent } from '../domain/people/events.ts';
import { personDecider } from '../domain/people/state.ts';
import { isProcessorDeclarationsEvent } from '../domain/processorDeclarations/events.ts';
import { wholeDeclarationsDecider } from '../domain/processorDeclarations/state.ts';
import { isRerunsEvent } from '../domain/reruns/events.ts';
import { rerunsDecider } from '../domain/reruns/state.ts';
import { isSharesEvent } from '../domain/shares/events.ts';
import { sharesDecider } from '../domain/shares/state.ts';
import { runsOf, type StreamRun } from '../domain/stream/attempts.ts';
import { isStreamEvent } from '../domain/stream/events.ts';
import { type StreamAggregate, streamDecider } from '../domain/stream/state.ts';
import { isUploadKeyEvent, uploadKeyDecider } from '../domain/stream/uploadKey.ts';
import { BUILTIN_TEMPLATES_EVENT_STREAM, isTemplatesEvent } from '../domain/templates/events.ts';
import { wholeTemplatesDeciders } from '../domain/templates/state.ts';
import { isTranscriptEvent } from '../domain/transcript/events.ts';
import { transcriptDecider } from '../domain/transcript/state.ts';
import { isVocabulariesEvent } from '../domain/vocabularies/events.ts';
import { vocabulariesDecider } from '../domain/vocabularies/state.ts';
import { isWebhookEndpointsEvent } from '../domain/webhookEndpoints/events.ts';
import { webhookEndpointsDecider } from '../domain/webhookEndpoints/state.ts';
import type { Json } from '../json.ts';
import { categoryOf } from '../stores/log/eventFilter.ts';
import type { EventLog, RecordedEvent } from '../stores/log/eventLog.ts';
import { eventStreamPages } from '../stores/pages.ts';
import type { Moment } from './pointInTime.ts';
import { withoutSecrets } from './withoutSecrets.ts';

/** Folds the events of one event stream into its state. */
interface Folding {
  readonly initial: () => unknown;
  readonly evolve: (state: unknown, event: RecordedEvent) => unknown;
  /** Plain JSON that later events do not change. */
  readonly show: (state: unknown) => Json;
}

interface Aggregate<State, E> {
  initialState(): State;
  evolve(state: State, event: E, time: string): State;
}

/** Other event types, which no decision of this aggregate makes, change nothing. */
const folding = <State, E>(
  { initialState, evolve }: Aggregate<State, E>,
  isOwn: (event: RecordedEvent) => event is RecordedEvent & E,
  shown: (state: State) => unknown = (state) => state,
): Folding => ({
  initial: initialState,
  // This fold returned the state for the previous event.
  evolve: (state, event) => (isOwn(event) ? evolve(state as State, event, event.metadata.time) : state),
  show: (state) => structuredClone(shown(state as State)) as Json,
});

/** The same object with each history's revisions as one list. */
const withPlainRevisions = <History extends { readonly revisions: AppendedNumbers }>(
  histories: Readonly<Record<string, History>>,
): object =>
  Object.fromEntries(Object.entries(histories).map(([id, history]) => [id, { ...history, revisions: history.revisions.flat() }]));

/** With the newest run of each stage and the runs that reruns replaced in lists of their own, as earlier versions showed them. */
const withRunsApart = (stream: StreamAggregate | null): object | null => {
  if (!stream) return null;
  const stages = stream.chain.map(({ processorId }) => runsOf(stream, processorId));
  const shown = ({ processor: _, triesBefore: attemptsBefore, ...run }: StreamRun) => ({ ...run, attemptsBefore });
  const replacedIn = (attempt: number) => stages.flatMap((runs) => runs.filter((_, newer) => runs[newer - 1]?.streamAttempt === attempt));
  return {
    ...stream,
    processors: stages.flatMap((runs) => runs.slice(0, 1).map(shown)),
    attempts: stream.attempts.map(({ runs: _, ...attempt }) => attempt),
    earlier: stream.attempts.flatMap(({ attempt }) => replacedIn(attempt).map((run) => ({ run: shown(run), processor: run.processor }))),
  };
};

/** This fold mutates its state, so its checkpoint and pending deliveries are shown. */
const deliveries: Folding = {
  initial: () => new PendingDeliveries(null),
  evolve: (state, event) => {
    if (state instanceof PendingDeliveries && isDeliveryEvent(event)) state.evolve(event, event.revision, event.metadata.time);
    return state;
  },
  show: (state) => {
    if (!(state instanceof PendingDeliveries)) return null;
    const { pending, sequences, failing, lastSourcePosition, lastRequestPosition } = state;
    const due = [...pending.values()].map(({ delivery, attempts, nextAt }) => ({ ...delivery, attempts, nextAt: isoTime(nextAt) }));
    const [numbers, since] = [Object.fromEntries(sequences), Object.fromEntries(failing)];
    return { pending: due, sequences: numbers, failing: since, lastSourcePosition, lastRequestPosition };
  },
};

const FOLDINGS: Readonly<Record<string, Folding>> = {
  stream: folding(streamDecider, isStreamEvent, withRunsApart),
  transcript: folding(transcriptDecider, isTranscriptEvent, (attempts) => ({ attempts: Object.fromEntries(attempts) })),
  group: folding(groupDecider, isGroupEvent, (group) => group && { ...group, members: Object.fromEntries(group.members.entries()) }),
  uploadKey: folding(uploadKeyDecider, isUploadKeyEvent),
  reruns: folding(rerunsDecider, isRerunsEvent),
  webhookEndpoints: folding(webhookEndpointsDecider, isWebhookEndpointsEvent, ({ disabledDynamic, ...state }) => ({
    ...state,
    disabledDynamic: Object.fromEntries(disabledDynamic),
  })),
  credentials: folding(credentialsDecider, isCredentialsEvent),
  person: folding(personDecider, isPeopleEvent),
  templates: folding(wholeTemplatesDeciders.own, isTemplatesEvent, (state) => ({
    ...state,
    templates: withPlainRevisions(state.templates),
  })),
  processorDeclarations: folding(wholeDeclarationsDecider, isProcessorDeclarationsEvent, (state) => ({
    ...state,
    declarations: withPlainRevisions(state.declarations),
  })),
  vocabularies: folding(vocabulariesDecider, isVocabulariesEvent),
  shares: folding(sharesDecider, isSharesEvent),
  delivery: deliveries,
  audit: folding(auditTrail, isAuditEvent),
  seals: folding(seals, isSealsEvent),
  imports: folding(imports, isImportsEvent),
};

const BUILTIN = folding(wholeTemplatesDeciders.builtin, isTemplatesEvent);

const foldingOf = (eventStream: string): Folding | null => {
  if (eventStream === BUILTIN_TEMPLATES_EVENT_STREAM) return BUILTIN;
  const category = categoryOf(eventStream);
  return Object.hasOwn(FOLDINGS, category) ? (FOLDINGS[category] ?? null) : null;
};

export interface StateAt {
  readonly revision: bigint;
  readonly state: Json;
}

/** A template of empty objects takes 6 MB. */
const PAGE = 20;

const isBeyond = (event: RecordedEvent, moment: Moment): boolean =>
  moment !== null && ('revision' in moment ? event.revision > moment.revision : event.metadata.time > moment.time);

/**
 * The state of an event stream at each of the moments, by the aggregate's own fold; `null` before its first event, and for an event stream of an
 * unknown category. Moments are inclusive: a time includes all events before the first later one.
 */
export const statesAt = async (log: EventLog, eventStream: string, moments: readonly Moment[]): Promise<(StateAt | null)[]> => {
  const found = moments.map((): StateAt | null => null);
  const open = new Set(moments.keys());
  const how = foldingOf(eventStream);
  if (!how) return found;
  let state = how.initial();
  let last: bigint | null = null;
  const settle = (index: number) => {
    if (last !== null) found[index] = { revision: last, state: how.show(state) };
    open.delete(index);
  };
  for await (const events of eventStreamPages(log, eventStream, PAGE)) {
    for (const event of events) {
      for (const index of open) if (isBeyond(event, moments[index] ?? null)) settle(index);
      state = how.evolve(state, withoutSecrets(event));
      last = event.revision;
    }
    if (open.size === 0) break;
  }
  for (const index of open) settle(index);
  return found;
};

/** The JSON Patch (RFC 6902) from `from` to `to`. */
export const difference = (from: Json, to: Json): object[] =>
  patches.compare({ state: from }, { state: to }).map(({ path, ...operation }) => ({ ...operation, path: path.slice('/state'.length) }));

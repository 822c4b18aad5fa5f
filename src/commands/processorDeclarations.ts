import { randomBytes } from 'node:crypto';
import { type Clock, DAY_MILLISECONDS, isoTime } from '../clock.ts';
import { notFound } from '../domain/problem.ts';
import type { ReadVersion } from '../domain/processorDeclarations/decisions.ts';
import * as decide from '../domain/processorDeclarations/decisions.ts';
import type { DeclarationContent, HttpDeclaration } from '../domain/processorDeclarations/declaration.ts';
import {
  isProcessorDeclarationsEvent,
  type ProcessorDeclarationsEvent,
  processorDeclarationsEventStream,
  SHARED_DECLARATIONS_EVENT_STREAM,
} from '../domain/processorDeclarations/events.ts';
import {
  type DeclarationHistory,
  declarationSummariesDecider,
  historyOf,
  type ProcessorDeclarationsState,
  revisionOf,
} from '../domain/processorDeclarations/state.ts';
import type { Limits } from '../limits.ts';
import type { Keys } from '../stores/keys/openKeys.ts';
import type { EventLog, RecordedEvent } from '../stores/log/eventLog.ts';
import { type AppendContext, type CommandDeps, contentAt, type Handled, handle, load } from './handle.ts';
import { memoryOf } from './memory.ts';
import { onCurrentContent } from './onCurrentContent.ts';
import { validSecrets } from './webhookSecrets.ts';

/** Owner of a set of declarations: a user, or the shared set. */
export type DeclarationScope = { readonly subject: string } | 'shared';

/** A declaration and the set it belongs to, without contents. */
export interface LocatedDeclaration {
  readonly id: string;
  readonly history: DeclarationHistory;
  readonly origin: 'own' | 'shared';
}

/** A declaration with its newest content. */
export interface FoundDeclaration extends LocatedDeclaration {
  readonly newest: HttpDeclaration;
}

/** One version of a declaration, without its content. */
export interface DeclarationReference extends Pick<LocatedDeclaration, 'id' | 'origin'> {
  readonly revision: number;
}

export interface SavingDeps extends CommandDeps {
  readonly limits: Limits;
}

export interface DeclarationDeps extends CommandDeps {
  readonly keys: Pick<Keys, 'derive'>;
  readonly clock: Clock;
}

/** Owner of shared declarations, so that they survive the erasure of the administrator who made them. */
const SHARED_OWNER = 'shared';

const eventStreamOf = (scope: DeclarationScope): string =>
  scope === 'shared' ? SHARED_DECLARATIONS_EVENT_STREAM : processorDeclarationsEventStream(scope.subject);

const originOf = (scope: DeclarationScope): LocatedDeclaration['origin'] => (scope === 'shared' ? 'shared' : 'own');

const loadScope = (log: EventLog, scope: DeclarationScope): Promise<ProcessorDeclarationsState> =>
  load(log, eventStreamOf(scope), declarationSummariesDecider);

const declarationIn = (event: RecordedEvent | undefined): HttpDeclaration | null =>
  event && isProcessorDeclarationsEvent(event) && event.type === 'ProcessorDeclared' ? event.data : null;

/** The version that the event with this revision declared; `null` if that event declared none. */
const readVersion = (log: EventLog, scope: DeclarationScope, revision: number): Promise<HttpDeclaration | null> =>
  contentAt(log, eventStreamOf(scope), revision, declarationIn);

const change = async (
  deps: CommandDeps,
  scope: DeclarationScope,
  decide: (state: ProcessorDeclarationsState) => readonly ProcessorDeclarationsEvent[],
  context: AppendContext,
): Promise<Handled<ProcessorDeclarationsState>> => {
  const subject = scope === 'shared' ? SHARED_OWNER : scope.subject;
  const eventStream = eventStreamOf(scope);
  return handle(deps, { eventStream, decider: declarationSummariesDecider, decide, context: { ...context, subject } });
};

interface Declared {
  readonly id: string;
  readonly scope: DeclarationScope;
}

/** The declaration after a change. `before`: its newest content if the change appended nothing. */
const foundAfter = (
  { state, events: [event] }: Handled<ProcessorDeclarationsState>,
  { id, scope }: Declared,
  before: HttpDeclaration | null = null,
): FoundDeclaration => {
  const history = historyOf(state, id);
  const newest = declarationIn(event) ?? before;
  if (!history || !newest) throw notFound('processor declaration');
  return { id, origin: originOf(scope), history, newest };
};

/** `null` if there is nothing to redeclare, which the decision refuses. Rejects with 404 for a damaged declaration. */
const readNewest = async (log: EventLog, { id, scope }: Declared): Promise<ReadVersion | null> => {
  const history = historyOf(await loadScope(log, scope), id);
  const revision = history && !history.deleted ? revisionOf(history, history.newest.version) : undefined;
  if (revision === undefined) return null;
  const declaration = await readVersion(log, scope, revision);
  if (!declaration) throw notFound('processor declaration');
  return { revision, declaration };
};

const redeclare = async (
  deps: SavingDeps,
  declared: Declared,
  content: DeclarationContent,
  context: AppendContext,
): Promise<FoundDeclaration> => {
  const read = await readNewest(deps.log, declared);
  const save = (state: ProcessorDeclarationsState) => decide.redeclareProcessor(state, declared.id, content, read, deps.limits);
  return foundAfter(await change(deps, declared.scope, save, context), declared, read?.declaration);
};

/**
 * Declares a processor (`id` is `null`) or its next version. The URL and the schemas must have been checked. Rejects with 429 above the limit of a
 * user's declarations, 400 for one that is too large, 403, and 409 if other changes keep coming in between.
 */
export const saveDeclaration = async (
  deps: SavingDeps,
  { id, scope, content }: { id: string | null; scope: DeclarationScope; content: DeclarationContent },
  context: AppendContext,
): Promise<FoundDeclaration> => {
  if (id !== null)
    // Versions of one set are read and decided on one after another: on one node, they never conflict.
    return memoryOf(deps.log).contentTurns.run(eventStreamOf(scope), () =>
      onCurrentContent(() => redeclare(deps, { id, scope }, content, context)),
    );
  const created = { id: randomBytes(12).toString('hex'), scope };
  const declare = (state: ProcessorDeclarationsState) => decide.declareProcessor(state, created.id, content, deps.limits);
  return foundAfter(await change(deps, scope, declare, context), created);
};

/** Makes a new secret; the previous one also signs for a day. Rejects with 404. */
export const rotateDeclarationSecret = async (
  deps: DeclarationDeps,
  { id, scope }: Declared,
  context: AppendContext,
): Promise<{ secret: string; previousValidUntil: string }> => {
  const previousValidUntil = isoTime(deps.clock.now() + DAY_MILLISECONDS);
  const { state } = await change(deps, scope, (current) => decide.rotateProcessorSecret(current, id, previousValidUntil), context);
  const history = historyOf(state, id);
  if (!history) throw notFound('processor declaration');
  return { secret: declarationSecrets(deps.keys, { id, history }, deps.clock.now())[0] ?? '', previousValidUntil };
};

/** Deletes a declaration. Rejects with 404. */
export const deleteDeclaration = async (deps: CommandDeps, { id, scope }: Declared, context: AppendContext): Promise<void> => {
  await change(deps, scope, (state) => decide.deleteProcessorDeclaration(state, id), context);
};

/** The user's own declaration, otherwise the shared one with this id, including deleted ones; `null` if there is neither. */
export const locateDeclaration = async (log: EventLog, subject: string, id: string): Promise<LocatedDeclaration | null> => {
  const own = historyOf(await loadScope(log, { subject }), id);
  if (own) return { id, history: own, origin: 'own' };
  const shared = historyOf(await loadScope(log, 'shared'), id);
  return shared ? { id, history: shared, origin: 'shared' } : null;
};

/** Like `locateDeclaration`, with the newest content. */
export const findDeclaration = async (log: EventLog, subject: string, id: string): Promise<FoundDeclaration | null> => {
  const located = await locateDeclaration(log, subject, id);
  const newest = located && (await declarationVersion(log, subject, located, located.history.newest.version));
  return newest && { ...located, newest };
};

/** The newest versions of all declarations that a user may use in a template, newest declaration first. */
export const listDeclarations = async (log: EventLog, subject: string): Promise<DeclarationReference[]> => {
  const [own, shared] = await Promise.all([loadScope(log, { subject }), loadScope(log, 'shared')]);
  return [...usable(own, 'own'), ...usable(shared, 'shared')].sort(newestFirst).flatMap(({ id, origin, history }) => {
    const revision = revisionOf(history, history.newest.version);
    return revision === undefined ? [] : [{ id, origin, revision }];
  });
};

const usable = (state: ProcessorDeclarationsState, origin: LocatedDeclaration['origin']): LocatedDeclaration[] =>
  Object.entries(state.declarations).flatMap(([id, history]) => (history.deleted ? [] : [{ id, history, origin }]));

const newestFirst = (a: LocatedDeclaration, b: LocatedDeclaration): number => {
  const [one, other] = [b.history.createdTimestamp + b.id, a.history.createdTimestamp + a.id];
  return one < other ? -1 : one > other ? 1 : 0;
};

const scopeOf = (subject: string, { origin }: Pick<LocatedDeclaration, 'origin'>): DeclarationScope =>
  origin === 'shared' ? 'shared' : { subject };

/** The content of a listed version, even if it has been replaced or deleted since; `null` if it does not exist. */
export const listedDeclaration = (log: EventLog, subject: string, reference: DeclarationReference): Promise<HttpDeclaration | null> =>
  readVersion(log, scopeOf(subject, reference), reference.revision);

/** One version of a declaration; `null` if it does not exist. */
export const declarationVersion = async (
  log: EventLog,
  subject: string,
  declaration: LocatedDeclaration,
  version: number,
): Promise<HttpDeclaration | null> => {
  const revision = revisionOf(declaration.history, version);
  return revision === undefined ? null : readVersion(log, scopeOf(subject, declaration), revision);
};

/** All secrets that currently sign requests to the processor, newest first. Derived from the master key and not stored. */
export const declarationSecrets = (
  keys: Pick<Keys, 'derive'>,
  { id, history }: Pick<LocatedDeclaration, 'id' | 'history'>,
  now: number,
): string[] => validSecrets(keys, `processor ${id}`, history.secret, now);

import { randomBytes } from 'node:crypto';
import { type Clock, DAY_MILLISECONDS, isoTime } from '../clock.ts';
import { numberAt } from '../domain/appendedNumbers.ts';
import { notFound } from '../domain/problem.ts';
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
  historyOf,
  type ProcessorDeclarationsState,
  processorDeclarationsDecider,
} from '../domain/processorDeclarations/state.ts';
import type { Keys } from '../stores/keys/openKeys.ts';
import type { EventLog } from '../stores/log/eventLog.ts';
import { type AppendContext, type CommandDeps, handle, load } from './handle.ts';
import { validSecrets } from './webhookSecrets.ts';

/** Owner of a set of declarations: a user, or the shared set. */
export type DeclarationScope = { readonly subject: string } | 'shared';

/** A declaration with the set it belongs to. */
export interface FoundDeclaration {
  readonly history: DeclarationHistory;
  readonly origin: 'own' | 'shared';
}

export interface DeclarationDeps extends CommandDeps {
  readonly keys: Pick<Keys, 'derive'>;
  readonly clock: Clock;
}

/** Owner of shared declarations, so that they survive the erasure of the administrator who made them. */
const SHARED_OWNER = 'shared';

const eventStreamOf = (scope: DeclarationScope): string =>
  scope === 'shared' ? SHARED_DECLARATIONS_EVENT_STREAM : processorDeclarationsEventStream(scope.subject);

const loadScope = (log: EventLog, scope: DeclarationScope): Promise<ProcessorDeclarationsState> =>
  load(log, eventStreamOf(scope), processorDeclarationsDecider);

const change = async (
  deps: CommandDeps,
  scope: DeclarationScope,
  decide: (state: ProcessorDeclarationsState) => readonly ProcessorDeclarationsEvent[],
  context: AppendContext,
): Promise<ProcessorDeclarationsState> => {
  const subject = scope === 'shared' ? SHARED_OWNER : scope.subject;
  const eventStream = eventStreamOf(scope);
  return (await handle(deps, { eventStream, decider: processorDeclarationsDecider, decide, context: { ...context, subject } })).state;
};

/**
 * Declares a processor (`id` is `null`) or its next version. The URL and the schemas must have been checked. Rejects with 400 for the 101st, and
 * 403.
 */
export const saveDeclaration = async (
  deps: CommandDeps,
  { id, scope, content }: { id: string | null; scope: DeclarationScope; content: DeclarationContent },
  context: AppendContext,
): Promise<DeclarationHistory> => {
  const declarationId = id ?? randomBytes(12).toString('hex');
  const save = (state: ProcessorDeclarationsState) =>
    (id === null ? decide.declareProcessor : decide.redeclareProcessor)(state, declarationId, content);
  const history = historyOf(await change(deps, scope, save, context), declarationId);
  if (!history) throw notFound('processor declaration');
  return history;
};

/** Makes a new secret; the previous one also signs for a day. Rejects with 404. */
export const rotateDeclarationSecret = async (
  deps: DeclarationDeps,
  { id, scope }: { id: string; scope: DeclarationScope },
  context: AppendContext,
): Promise<{ secret: string; previousValidUntil: string }> => {
  const previousValidUntil = isoTime(deps.clock.now() + DAY_MILLISECONDS);
  const state = await change(deps, scope, (current) => decide.rotateProcessorSecret(current, id, previousValidUntil), context);
  const history = historyOf(state, id);
  if (!history) throw notFound('processor declaration');
  return { secret: declarationSecrets(deps.keys, history, deps.clock.now())[0] ?? '', previousValidUntil };
};

/** Deletes a declaration. Rejects with 404. */
export const deleteDeclaration = async (
  deps: CommandDeps,
  { id, scope }: { id: string; scope: DeclarationScope },
  context: AppendContext,
): Promise<void> => {
  await change(deps, scope, (state) => decide.deleteProcessorDeclaration(state, id), context);
};

/** The user's own declaration, otherwise the shared one with this id, including deleted ones; `null` if there is neither. */
export const findDeclaration = async (log: EventLog, subject: string, id: string): Promise<FoundDeclaration | null> => {
  const own = historyOf(await loadScope(log, { subject }), id);
  if (own) return { history: own, origin: 'own' };
  const shared = historyOf(await loadScope(log, 'shared'), id);
  return shared ? { history: shared, origin: 'shared' } : null;
};

/** All declarations that a user may use in a template, newest first. */
export const listDeclarations = async (log: EventLog, subject: string): Promise<FoundDeclaration[]> => {
  const [own, shared] = await Promise.all([loadScope(log, { subject }), loadScope(log, 'shared')]);
  const found = (state: ProcessorDeclarationsState, origin: FoundDeclaration['origin']): FoundDeclaration[] =>
    Object.values(state.declarations).flatMap((history) => (history.deleted ? [] : [{ history, origin }]));
  const newestFirst = (a: FoundDeclaration, b: FoundDeclaration) => {
    const [one, other] = [b.history.createdTimestamp + b.history.newest.id, a.history.createdTimestamp + a.history.newest.id];
    return one < other ? -1 : one > other ? 1 : 0;
  };
  return [...found(own, 'own'), ...found(shared, 'shared')].sort(newestFirst);
};

/** One version of a declaration, read from the log if it is not the newest; `null` if it does not exist. */
export const declarationVersion = async (
  log: EventLog,
  subject: string,
  { history, origin }: FoundDeclaration,
  version: number,
): Promise<HttpDeclaration | null> => {
  if (version === history.newest.version) return history.newest;
  const revision = numberAt(history.revisions, version - 1);
  if (revision === undefined) return null;
  const scope: DeclarationScope = origin === 'shared' ? 'shared' : { subject };
  const [event] = await log.readStream(eventStreamOf(scope), { from: BigInt(revision), limit: 1 });
  return event && isProcessorDeclarationsEvent(event) && event.type === 'ProcessorDeclared' ? event.data : null;
};

/** All secrets that currently sign requests to the processor, newest first. Derived from the master key and not stored. */
export const declarationSecrets = (keys: Pick<Keys, 'derive'>, { newest, secret }: DeclarationHistory, now: number): string[] =>
  validSecrets(keys, `processor ${newest.id}`, secret, now);

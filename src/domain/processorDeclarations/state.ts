import { type AppendedNumbers, lastNumber, numberAt, withNumber } from '../appendedNumbers.ts';
import { rotateSecret, type SecretGenerations } from '../webhookEndpoints/state.ts';
import type { HttpDeclaration } from './declaration.ts';
import type { ProcessorDeclarationsEvent } from './events.ts';

/** A version in memory, without its content, which is read from the log when it is needed. */
export interface VersionSummary {
  readonly version: number;
}

/** A declared processor. Its versions stay in the log; their revisions are kept here. */
export interface DeclarationHistory<Kept = VersionSummary> {
  /** The newest version, even after deletion: streams that started with it still run. */
  newest: Kept;
  deleted: boolean;
  createdTimestamp: string;
  /** Revisions of the events that declared version 1, 2 and so on. */
  revisions: AppendedNumbers;
  secret: SecretGenerations;
}

/** The declarations of one event stream. Plain JSON. */
export interface ProcessorDeclarationsState<Kept = VersionSummary> {
  readonly declarations: Readonly<Record<string, DeclarationHistory<Kept>>>;
  readonly nextRevision: number;
}

const MAX_PREVIOUS_SECRETS = 10;

const withHistory = <Kept>(
  state: ProcessorDeclarationsState<Kept>,
  id: string,
  change: Partial<DeclarationHistory<Kept>>,
): ProcessorDeclarationsState<Kept> => {
  const known = historyOf(state, id);
  const declarations = known ? { ...state.declarations, [id]: { ...known, ...change } } : state.declarations;
  return { declarations, nextRevision: state.nextRevision + 1 };
};

/** `undefined` for an unknown id. */
export const historyOf = <Kept>({ declarations }: ProcessorDeclarationsState<Kept>, id: string): DeclarationHistory<Kept> | undefined =>
  Object.hasOwn(declarations, id) ? declarations[id] : undefined;

/** Revision of the event that declared a version; `undefined` if there is none. */
export const revisionOf = ({ newest, revisions }: DeclarationHistory, version: number): number | undefined =>
  version === newest.version ? lastNumber(revisions) : numberAt(revisions, version - 1);

const declare = <Kept>(
  state: ProcessorDeclarationsState<Kept>,
  id: string,
  newest: Kept,
  time: string,
): ProcessorDeclarationsState<Kept> => {
  const known = historyOf(state, id);
  const fresh = { createdTimestamp: time, revisions: [], secret: { generation: 1, previous: [] } };
  const history = { ...(known ?? fresh), newest, deleted: false };
  const revisions = withNumber(history.revisions, state.nextRevision);
  return {
    declarations: { ...state.declarations, [id]: { ...history, revisions } },
    nextRevision: state.nextRevision + 1,
  };
};

/** Folds declarations. `keep` chooses what the state holds of each newest version. */
const processorDeclarationsDecider = <Kept>(keep: (declaration: HttpDeclaration) => Kept) => ({
  initialState: (): ProcessorDeclarationsState<Kept> => ({ declarations: {}, nextRevision: 0 }),

  evolve(state: ProcessorDeclarationsState<Kept>, event: ProcessorDeclarationsEvent, time: string): ProcessorDeclarationsState<Kept> {
    switch (event.type) {
      case 'ProcessorDeclared':
        return declare(state, event.data.id, keep(event.data), time);
      case 'ProcessorDeclarationDeleted':
        return withHistory(state, event.data.declarationId, { deleted: true });
      case 'ProcessorSecretRotated': {
        const { declarationId } = event.data;
        const secret = historyOf(state, declarationId)?.secret ?? { generation: 1, previous: [] };
        return withHistory(state, declarationId, { secret: rotateSecret(secret, event.data, time, MAX_PREVIOUS_SECRETS) });
      }
      default:
        return event satisfies never;
    }
  },
});

/** For commands, which need no contents. */
export const declarationSummariesDecider = processorDeclarationsDecider(({ version }): VersionSummary => ({ version }));

/** For auditors, who see the contents too. */
export const wholeDeclarationsDecider = processorDeclarationsDecider((declaration) => declaration);

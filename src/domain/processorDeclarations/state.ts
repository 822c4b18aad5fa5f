import { type AppendedNumbers, withNumber } from '../appendedNumbers.ts';
import { rotateSecret, type SecretGenerations } from '../webhookEndpoints/state.ts';
import type { HttpDeclaration } from './declaration.ts';
import type { ProcessorDeclarationsEvent } from './events.ts';

/** A declared processor. Earlier versions stay in the log; their revisions are kept here. */
export interface DeclarationHistory {
  /** The newest version, even after deletion: streams that started with it still run. */
  newest: HttpDeclaration;
  deleted: boolean;
  createdTimestamp: string;
  /** Revisions of the events that declared version 1, 2 and so on. */
  revisions: AppendedNumbers;
  secret: SecretGenerations;
}

/** The declarations of one event stream. Plain JSON. */
export interface ProcessorDeclarationsState {
  readonly declarations: Readonly<Record<string, DeclarationHistory>>;
  readonly nextRevision: number;
}

const MAX_PREVIOUS_SECRETS = 10;

const withHistory = (state: ProcessorDeclarationsState, id: string, change: Partial<DeclarationHistory>): ProcessorDeclarationsState => {
  const known = historyOf(state, id);
  const declarations = known ? { ...state.declarations, [id]: { ...known, ...change } } : state.declarations;
  return { declarations, nextRevision: state.nextRevision + 1 };
};

/** `undefined` for an unknown id. */
export const historyOf = ({ declarations }: ProcessorDeclarationsState, id: string): DeclarationHistory | undefined =>
  Object.hasOwn(declarations, id) ? declarations[id] : undefined;

const declare = (state: ProcessorDeclarationsState, newest: HttpDeclaration, time: string): ProcessorDeclarationsState => {
  const known = historyOf(state, newest.id);
  const fresh = { createdTimestamp: time, revisions: [], secret: { generation: 1, previous: [] } };
  const history = { ...(known ?? fresh), newest, deleted: false };
  const revisions = withNumber(history.revisions, state.nextRevision);
  return {
    declarations: { ...state.declarations, [newest.id]: { ...history, revisions } },
    nextRevision: state.nextRevision + 1,
  };
};

const evolve = (state: ProcessorDeclarationsState, event: ProcessorDeclarationsEvent, time: string): ProcessorDeclarationsState => {
  switch (event.type) {
    case 'ProcessorDeclared':
      return declare(state, event.data, time);
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
};

export const processorDeclarationsDecider = {
  initialState: (): ProcessorDeclarationsState => ({ declarations: {}, nextRevision: 0 }),
  evolve,
};

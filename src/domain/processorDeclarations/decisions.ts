import { isDeepStrictEqual } from 'node:util';
import { weightOf } from '../../weight.ts';
import { OutdatedContent } from '../outdatedContent.ts';
import { notFound, Problem } from '../problem.ts';
import type { DeclarationContent, HttpDeclaration } from './declaration.ts';
import type { ProcessorDeclarationsEvent } from './events.ts';
import { type DeclarationHistory, historyOf, type ProcessorDeclarationsState, revisionOf } from './state.ts';

/** Decisions about one set of declared processors. Each returns the events to append, or throws a `Problem`. */
type Decided = readonly ProcessorDeclarationsEvent[];

const MAX_DECLARATIONS = 100;
/** Memory limits. Deleted declarations count, because running streams may still need them. */
const MAX_WEIGHT = 1_048_576;
const MAX_WEIGHT_OF_USER = 33_554_432;

/** A version as read from the log. */
export interface ReadVersion {
  readonly revision: number;
  readonly declaration: HttpDeclaration;
}

const weightWithContent = ({ newest, ...rest }: DeclarationHistory): number => newest.weight + weightOf(rest);

const checkWeight = ({ declarations }: ProcessorDeclarationsState, id: string, content: DeclarationContent): void => {
  const weight = weightOf(content);
  if (weight > MAX_WEIGHT)
    throw new Problem(
      'GENERAL_BAD_REQUEST_ERROR',
      `The declaration takes ${weight} bytes of memory. The limit is ${MAX_WEIGHT}. Use fewer members and items.`,
    );
  const others = Object.entries(declarations).filter(([other]) => other !== id);
  if (others.reduce((sum, [, history]) => sum + weightWithContent(history), weight) <= MAX_WEIGHT_OF_USER) return;
  throw new Problem(
    'GENERAL_BAD_REQUEST_ERROR',
    `Your processor declarations, deleted ones included, take more than ${MAX_WEIGHT_OF_USER} bytes of memory. Make this one smaller.`,
  );
};

const requireDeclaration = (state: ProcessorDeclarationsState, id: string): DeclarationHistory => {
  const history = historyOf(state, id);
  if (!history || history.deleted) throw notFound('processor declaration');
  return history;
};

/** Version 1 of a new processor. 400 for the 101st of a user. */
export const declareProcessor = (state: ProcessorDeclarationsState, id: string, content: DeclarationContent): Decided => {
  const count = Object.values(state.declarations).filter(({ deleted }) => !deleted).length;
  if (count >= MAX_DECLARATIONS)
    throw new Problem('GENERAL_BAD_REQUEST_ERROR', `At most ${MAX_DECLARATIONS} processor declarations are allowed. Delete one first.`);
  checkWeight(state, id, content);
  return [{ type: 'ProcessorDeclared', data: { id, version: 1, ...content } }];
};

/**
 * The next version. No event if it equals the newest one, `read`. 403 for an unknown id. Throws `OutdatedContent` if `read` is not the newest version.
 */
export const redeclareProcessor = (
  state: ProcessorDeclarationsState,
  id: string,
  content: DeclarationContent,
  read: ReadVersion | null,
): Decided => {
  const history = historyOf(state, id);
  if (!history || history.deleted)
    throw new Problem('GENERAL_AUTHORIZATION_ERROR', 'You have no processor declaration with this id. Leave the id out to create one.');
  if (!read || read.revision !== revisionOf(history, history.newest.version)) throw new OutdatedContent();
  const { id: _, version, ...newest } = read.declaration;
  if (isDeepStrictEqual(newest, content)) return [];
  checkWeight(state, id, content);
  return [{ type: 'ProcessorDeclared', data: { id, version: version + 1, ...content } }];
};

export const rotateProcessorSecret = (state: ProcessorDeclarationsState, id: string, previousValidUntil: string): Decided => {
  const { generation } = requireDeclaration(state, id).secret;
  return [{ type: 'ProcessorSecretRotated', data: { declarationId: id, generation: generation + 1, previousValidUntil } }];
};

export const deleteProcessorDeclaration = (state: ProcessorDeclarationsState, id: string): Decided => {
  requireDeclaration(state, id);
  return [{ type: 'ProcessorDeclarationDeleted', data: { declarationId: id } }];
};

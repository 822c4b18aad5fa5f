import { isDeepStrictEqual } from 'node:util';
import type { Limits } from '../../limits.ts';
import { OutdatedContent } from '../outdatedContent.ts';
import { countReached, notFound, Problem } from '../problem.ts';
import type { DeclarationContent, HttpDeclaration } from './declaration.ts';
import type { ProcessorDeclarationsEvent } from './events.ts';
import { type DeclarationHistory, historyOf, type ProcessorDeclarationsState, revisionOf } from './state.ts';

/** Decisions about one set of declared processors. Each returns the events to append, or throws a `Problem`. */
type Decided = readonly ProcessorDeclarationsEvent[];

export type DeclarationSetLimits = Pick<Limits, 'declarationMaxBytes' | 'maxDeclarationsPerUser'>;

/** A version as read from the log. */
export interface ReadVersion {
  readonly revision: number;
  readonly declaration: HttpDeclaration;
}

const checkSize = (content: DeclarationContent, { declarationMaxBytes: most }: DeclarationSetLimits): void => {
  const bytes = Buffer.byteLength(JSON.stringify(content));
  if (bytes > most) throw new Problem('GENERAL_BAD_REQUEST_ERROR', `The declaration has ${bytes} bytes. The limit is ${most}.`);
};

const requireDeclaration = (state: ProcessorDeclarationsState, id: string): DeclarationHistory => {
  const history = historyOf(state, id);
  if (!history || history.deleted) throw notFound('processor declaration');
  return history;
};

/** Version 1 of a new processor. Throws 429 above the limit of a user's declarations, and 400 for one that is too large. */
export const declareProcessor = (
  state: ProcessorDeclarationsState,
  id: string,
  content: DeclarationContent,
  limits: DeclarationSetLimits,
): Decided => {
  const count = Object.values(state.declarations).filter(({ deleted }) => !deleted).length;
  const most = limits.maxDeclarationsPerUser;
  if (count >= most) throw countReached(`You have reached the limit of ${most} processor declarations. Delete one first.`);
  checkSize(content, limits);
  return [{ type: 'ProcessorDeclared', data: { id, version: 1, ...content } }];
};

/**
 * The next version. No event if it equals the newest one, `read`. 403 for an unknown id, 400 if it is too large. Throws `OutdatedContent` if `read` is
 * not the newest version.
 */
export const redeclareProcessor = (
  state: ProcessorDeclarationsState,
  id: string,
  content: DeclarationContent,
  read: ReadVersion | null,
  limits: DeclarationSetLimits,
): Decided => {
  const history = historyOf(state, id);
  if (!history || history.deleted)
    throw new Problem('GENERAL_AUTHORIZATION_ERROR', 'You have no processor declaration with this id. Leave the id out to create one.');
  if (!read || read.revision !== revisionOf(history, history.newest.version)) throw new OutdatedContent();
  const { id: _, version, ...newest } = read.declaration;
  if (isDeepStrictEqual(newest, content)) return [];
  checkSize(content, limits);
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

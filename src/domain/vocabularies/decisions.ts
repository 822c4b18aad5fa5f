import { isDeepStrictEqual } from 'node:util';
import { conflict, countReached, notFound, Problem } from '../problem.ts';
import type { VocabulariesEvent, VocabularyContent } from './events.ts';
import { type VocabulariesState, vocabularyNamed, vocabularyOf } from './state.ts';

/** Most vocabularies of a user. */
const MOST_VOCABULARIES = 100;
/** Leaves room for it in the configuration of a stream. */
export const MOST_BYTES = 32_768;

export interface VocabularyDraft extends VocabularyContent {
  readonly name: string;
}

const refused = (message: string): Problem => new Problem('GENERAL_VALIDATION_ERROR', message);

/** Trimmed, without blank and repeated terms. Throws 400 for a blank name, an empty vocabulary and a blank replacement. */
const tidied = ({ name, terms, replacements }: VocabularyDraft): VocabularyDraft => {
  const draft = {
    name: name.normalize('NFC').trim(),
    terms: [...new Set(terms.map((term) => term.trim()).filter((term) => term !== ''))],
    replacements: Object.fromEntries(Object.entries(replacements).map(([heard, written]) => [heard.trim(), written.trim()])),
  };
  if (draft.name === '') throw refused('The name is blank. Give it at least one character.');
  if (Object.hasOwn(draft.replacements, '')) throw refused('A replacement has no text to replace.');
  if (draft.terms.some((term) => term.startsWith('@'))) throw refused('A term begins with @, which names a vocabulary. Leave the @ out.');
  if (draft.terms.length === 0 && Object.keys(draft.replacements).length === 0)
    throw refused('The vocabulary is empty. Give it terms or replacements.');
  const bytes = Buffer.byteLength(JSON.stringify(draft));
  if (bytes > MOST_BYTES) throw refused(`The vocabulary has ${bytes} bytes. The limit is ${MOST_BYTES}: split it into two.`);
  return draft;
};

/**
 * Creates a vocabulary, or replaces one that is `known`. No event if nothing changes. Throws 404 for an unknown one, 409 for a name that another
 * one has, 429 above the limit of a user's vocabularies.
 */
export const saveVocabulary = (
  state: VocabulariesState,
  { id, known }: { readonly id: string; readonly known: boolean },
  draft: VocabularyDraft,
): readonly VocabulariesEvent[] => {
  const { name, ...content } = tidied(draft);
  const before = vocabularyOf(state, id);
  if (known && !before) throw notFound('vocabulary');
  const named = vocabularyNamed(state, name);
  if (named && named.id !== id) throw conflict(`You have a vocabulary named ${JSON.stringify(named.name)}. Choose another name.`);
  if (!before && Object.keys(state).length >= MOST_VOCABULARIES)
    throw countReached(`You have reached the limit of ${MOST_VOCABULARIES} vocabularies. Delete one first.`);
  if (before && isDeepStrictEqual({ name: before.name, terms: before.terms, replacements: before.replacements }, { name, ...content }))
    return [];
  return [{ type: 'VocabularySaved', data: { id, name, content } }];
};

/** Throws 404 for an unknown one. */
export const deleteVocabulary = (state: VocabulariesState, id: string): readonly VocabulariesEvent[] => {
  if (!vocabularyOf(state, id)) throw notFound('vocabulary');
  return [{ type: 'VocabularyDeleted', data: { id } }];
};

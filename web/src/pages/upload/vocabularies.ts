import { getJson, send } from '../../api/request.ts';
import { type Resource, useResource } from '../../api/useResource.ts';

const PATH = '/stream-configuration-service/api/v1/vocabularies';

export interface VocabularyDraft {
  /** Of the vocabulary to replace. */
  readonly id?: string;
  readonly name: string;
  readonly terms: readonly string[];
  /** What an engine writes, and what replaces it. */
  readonly replacements: Readonly<Record<string, string>>;
}

export interface Vocabulary extends VocabularyDraft {
  readonly id: string;
}

/** The vocabularies that the caller has saved. */
export const useVocabularies = (): Resource<readonly Vocabulary[]> =>
  useResource({ key: 'vocabularies', load: (signal) => getJson<readonly Vocabulary[]>(PATH, { signal }) });

export const saveVocabulary = (draft: VocabularyDraft) => send<Vocabulary>('PUT', PATH, { body: draft });
export const removeVocabulary = (id: string) => send<void>('DELETE', `${PATH}/${encodeURIComponent(id)}`);

import { getJson, send } from '../../api/request.ts';
import type { Json } from '../../api/types.ts';
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

/** The words of an upload: names of saved vocabularies, and words of its own. */
export interface ChosenWords {
  readonly saved: readonly string[];
  readonly words: string;
}

/** As the setting `vocabulary` has them: `@name` for a saved one. */
export const chosenIn = (value: Json | undefined): ChosenWords => {
  const all = Array.isArray(value) ? value.map(String) : typeof value === 'string' && value !== '' ? [value] : [];
  return {
    saved: all.filter((one) => one.startsWith('@')).map((one) => one.slice(1)),
    words: all.filter((one) => !one.startsWith('@')).join(','),
  };
};

/** `undefined` without any. */
export const vocabularyOf = ({ saved, words }: ChosenWords): Json | undefined => {
  const all = [...saved.map((name) => `@${name}`), ...(words === '' ? [] : words.split(','))];
  return all.length === 0 ? undefined : all;
};

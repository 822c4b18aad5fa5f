import type { VocabulariesEvent, VocabularyContent } from './events.ts';

export interface Vocabulary extends VocabularyContent {
  id: string;
  name: string;
  createdTimestamp: string;
  updatedTimestamp: string;
}

/** A user's vocabularies by id. Plain JSON. */
export type VocabulariesState = Readonly<Record<string, Vocabulary>>;

/** `undefined` for an unknown id. */
export const vocabularyOf = (state: VocabulariesState, id: string): Vocabulary | undefined =>
  Object.hasOwn(state, id) ? state[id] : undefined;

/** Names with the same key are the same name. */
const nameKey = (name: string): string => name.normalize('NFC').trim().toLowerCase();

/** `undefined` for an unknown name. */
export const vocabularyNamed = (state: VocabulariesState, name: string): Vocabulary | undefined =>
  Object.values(state).find((vocabulary) => nameKey(vocabulary.name) === nameKey(name));

const without = (state: VocabulariesState, id: string): VocabulariesState =>
  Object.fromEntries(Object.entries(state).filter(([other]) => other !== id));

const evolve = (state: VocabulariesState, event: VocabulariesEvent, time: string): VocabulariesState => {
  switch (event.type) {
    case 'VocabularySaved': {
      const { id, name, content } = event.data;
      // Its owner has been erased.
      if (name === null || content === null) return without(state, id);
      const createdTimestamp = vocabularyOf(state, id)?.createdTimestamp ?? time;
      return { ...state, [id]: { id, name, ...content, createdTimestamp, updatedTimestamp: time } };
    }
    case 'VocabularyDeleted':
      return without(state, event.data.id);
    default:
      return event satisfies never;
  }
};

export const vocabulariesDecider = { initialState: (): VocabulariesState => ({}), evolve };

import type { Shape } from '../../json.ts';
import * as s from '../../schema.ts';
import { type EventOf, event, guardOf, personal } from '../eventForms.ts';

const content = s.object({
  terms: s.list(s.text),
  /** What an engine writes, and what is meant. */
  replacements: s.map(s.text),
});
/** Words that an engine should expect, and what replaces those that it gets wrong. */
export type VocabularyContent = Shape<typeof content>;

/** The events of one user's saved vocabularies (`vocabularies-<subject>`). */
export const VOCABULARIES_EVENTS = {
  VocabularySaved: event(s.object({ id: s.id, name: personal(s.text), content: personal(content) })),
  VocabularyDeleted: event(s.object({ id: s.id })),
};

export type VocabulariesEvent = EventOf<typeof VOCABULARIES_EVENTS>;
export const isVocabulariesEvent = guardOf(VOCABULARIES_EVENTS);

export const vocabulariesEventStream = (subject: string): string => `vocabularies-${subject}`;

import type { CredentialsEvent } from '../domain/credentials/events.ts';
import { isCredentialsEvent } from '../domain/credentials/events.ts';
import { isPeopleEvent, PEOPLE_EVENT_TYPES, type PeopleEvent } from '../domain/people/events.ts';
import { evolvePerson, type Person } from '../domain/people/state.ts';
import type { Projection } from './projection.ts';

/** Someone who has signed in, or an owner of credentials. */
export interface UserDocument {
  /** Id of the person, or the subject of the credentials. */
  userId: string;
  createdTimestamp: string;
  /** Label of the first credential; `null` for a person and after the erasure. */
  label: string | null;
  /** `null` for an owner of credentials who never signed in. */
  person: Person | null;
  /** People who work with the library of this subject. */
  linkedBy: string[];
  /** Whether they are shown instead of it. */
  hidden: boolean;
}

type UserEvent = PeopleEvent | Extract<CredentialsEvent, { type: 'CredentialIssued' }>;

/** Everyone, for administrators: people by their id, and owners of credentials by their subject. */
export const usersProjection: Projection<UserDocument> = {
  name: 'users',
  version: 1,
  indexes: [
    ['hidden', 'createdTimestamp'],
    ['userId', 'createdTimestamp'],
  ],
  handles: [...PEOPLE_EVENT_TYPES, 'CredentialIssued'],
  personal: {
    owner: 'userId',
    orderedBy: 'createdTimestamp',
    redact: (document) => {
      const { label, person } = document;
      if (label === null && (!person || (person.name === null && person.email === null))) return document;
      return { ...document, label: null, person: person && { ...person, name: null, email: null } };
    },
  },
  idsOf: (event) => {
    if (isCredentialsEvent(event)) return event.type === 'CredentialIssued' ? [event.data.subject] : [];
    if (!isPeopleEvent(event)) return [];
    if (event.type !== 'PersonLinked') return [event.data.personId];
    const { personId, subject, previousSubject } = event.data;
    return [...new Set([personId, subject, previousSubject])];
  },
  evolve: (document, event, id) => {
    if (!isCredentialsEvent(event) && !isPeopleEvent(event)) return document;
    const { time } = event.metadata;
    const before: UserDocument = document ?? { userId: id, createdTimestamp: time, label: null, person: null, linkedBy: [], hidden: false };
    return evolved(before, event as UserEvent, id, time);
  },
};

const evolved = (document: UserDocument, event: UserEvent, id: string, time: string): UserDocument | null => {
  if (event.type === 'CredentialIssued') return { ...document, label: document.label ?? event.data.label };
  const { personId } = event.data;
  if (id === personId) {
    const person = evolvePerson(document.person, event, time);
    return person && { ...document, person };
  }
  return event.type === 'PersonLinked' ? linked(document, personId, event.data.subject === id) : document;
};

const linked = (document: UserDocument, personId: string, isLinked: boolean): UserDocument => {
  const linkedBy = [...document.linkedBy.filter((other) => other !== personId), ...(isLinked ? [personId] : [])];
  return { ...document, linkedBy, hidden: linkedBy.length > 0 };
};

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
  /** Disabled people among them. */
  disabledLinks: string[];
  /** Whether they are shown instead of it: someone may sign in for an owner who never did. */
  hidden: boolean;
}

/** Everyone, for administrators: people by their id, and owners of credentials by their subject. */
export const usersProjection: Projection<UserDocument> = {
  name: 'users',
  version: 3,
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
    const { personId, subject = personId, previousSubject = personId }: Subjects = event.data;
    return [...new Set([personId, subject, previousSubject])];
  },
  evolve: (document, event, id) => {
    const { time } = event.metadata;
    const before = document ?? {
      userId: id,
      createdTimestamp: time,
      label: null,
      person: null,
      linkedBy: [],
      disabledLinks: [],
      hidden: false,
    };
    if (isCredentialsEvent(event))
      return event.type === 'CredentialIssued' ? { ...before, label: before.label ?? event.data.label } : document;
    if (!isPeopleEvent(event)) return document;
    const after = event.data.personId === id ? identified(before, event, time) : linked(before, event, id);
    return after && { ...after, hidden: after.person === null && after.linkedBy.length > after.disabledLinks.length };
  },
};

interface Subjects {
  readonly personId: string;
  readonly subject?: string;
  readonly previousSubject?: string;
}

const identified = (document: UserDocument, event: PeopleEvent, time: string): UserDocument | null => {
  const person = evolvePerson(document.person, event, time);
  return person && { ...document, person };
};

/** The owner with this id, after an event of another person. */
const linked = (document: UserDocument, { type, data }: PeopleEvent, id: string): UserDocument => {
  const { personId } = data;
  const isLinked = type === 'PersonLinked' ? data.subject === id : document.linkedBy.includes(personId);
  const isDisabled = type === 'PersonLinked' ? (data.disabled ?? false) : type === 'PersonDisabled';
  return {
    ...document,
    linkedBy: withOrWithout(document.linkedBy, personId, isLinked),
    disabledLinks: withOrWithout(document.disabledLinks, personId, isLinked && isDisabled),
  };
};

const withOrWithout = (ids: readonly string[], id: string, isIn: boolean): string[] => [
  ...ids.filter((other) => other !== id),
  ...(isIn ? [id] : []),
];

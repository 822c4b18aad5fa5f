import type { Role } from '../credentials/events.ts';
import type { PeopleEvent } from './events.ts';

export type Identified = Extract<PeopleEvent, { type: 'PersonIdentified' }>['data'];

export interface Person extends Identified {
  /** Owner of what the person does: their own id, or the subject that they are linked to. */
  subject: string;
  /** Every owner whose library they have worked with: the person first. */
  subjects: string[];
  chosenRole: Role | null;
  disabled: boolean;
  createdTimestamp: string;
}

/** Folds an event onto a person. `null` before the first. `time` is the event's, ISO 8601. Pure. */
export const evolvePerson = (person: Person | null, event: PeopleEvent, time: string): Person | null => {
  if (event.type === 'PersonIdentified') {
    const { personId } = event.data;
    const { subject = personId, subjects = [personId], chosenRole = null, disabled = false, createdTimestamp = time } = person ?? {};
    return { ...event.data, subject, subjects, chosenRole, disabled, createdTimestamp };
  }
  if (!person) return null;
  switch (event.type) {
    case 'PersonRoleChosen':
      return { ...person, chosenRole: event.data.role };
    case 'PersonLinked':
      return { ...person, subject: event.data.subject, subjects: [...new Set([...person.subjects, event.data.subject])] };
    case 'PersonDisabled':
      return { ...person, disabled: true };
    case 'PersonEnabled':
      return { ...person, disabled: false };
    default:
      return event satisfies never;
  }
};

export const personDecider = { initialState: (): Person | null => null, evolve: evolvePerson };

/** `null`: may not sign in. A role from a claim wins over one that an administrator chose. */
export const roleOf = ({
  disabled,
  claimedRole,
  chosenRole,
  defaultRole,
}: Pick<Person, 'disabled' | 'claimedRole' | 'chosenRole' | 'defaultRole'>): Role | null =>
  disabled ? null : (claimedRole ?? chosenRole ?? defaultRole);

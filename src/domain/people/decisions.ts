import type { Role } from '../credentials/events.ts';
import { conflict, notFound } from '../problem.ts';
import type { PeopleEvent } from './events.ts';
import type { Identified, Person } from './state.ts';

/** No event if everything is known already. */
export const identify = (person: Person | null, data: Identified): readonly PeopleEvent[] =>
  person &&
  person.name === data.name &&
  person.email === data.email &&
  person.claimedRole === data.claimedRole &&
  person.defaultRole === data.defaultRole
    ? []
    : [{ type: 'PersonIdentified', data }];

/** An administrator's change of a person. Absent members stay as they are. */
export interface PersonChange {
  /** `null`: that of the settings. */
  readonly role?: Role | null | undefined;
  readonly disabled?: boolean | undefined;
  readonly subject?: string | undefined;
}

/** 404 for an unknown person, 409 for a role while the identity provider gives one. A role that was chosen before can always be taken away. */
export const changePerson = (person: Person | null, { role, disabled, subject }: PersonChange): readonly PeopleEvent[] => {
  if (!person) throw notFound('person');
  const { personId } = person;
  const events: PeopleEvent[] = [];
  if (role !== undefined && role !== person.chosenRole) {
    if (role !== null && person.claimedRole !== null)
      throw conflict(`The identity provider gives this person the role ${person.claimedRole}. Change it there.`);
    events.push({ type: 'PersonRoleChosen', data: { personId, role } });
  }
  if (disabled !== undefined && disabled !== person.disabled)
    events.push({ type: disabled ? 'PersonDisabled' : 'PersonEnabled', data: { personId, subject: person.subject } });
  if (subject !== undefined && subject !== person.subject)
    events.push({
      type: 'PersonLinked',
      data: { personId, subject, previousSubject: person.subject, disabled: disabled ?? person.disabled },
    });
  return events;
};

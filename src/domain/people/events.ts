import * as s from '../../schema.ts';
import { ROLE } from '../credentials/events.ts';
import { type EventOf, event, guardOf, personal } from '../eventForms.ts';

/** The events of one person who signs in with an identity provider. Event stream `person-<personId>`. */
export const PEOPLE_EVENTS = {
  /** First sign-in, and each later one at which the provider or the settings say something else. */
  PersonIdentified: event(
    s.object({
      personId: s.id,
      issuer: s.text,
      name: personal(s.text),
      email: personal(s.nullable(s.text)),
      /** By the provider's claim and OIDC_ROLES_MAP; `null`: the claim names none. */
      claimedRole: s.nullable(ROLE),
      /** Of the settings; `null`: none. */
      defaultRole: s.nullable(ROLE),
    }),
  ),
  /** By an administrator; `null`: that of the settings. */
  PersonRoleChosen: event(s.object({ personId: s.id, role: s.nullable(ROLE) })),
  /** The person works with the library of this subject. Their own is their id. */
  PersonLinked: event(
    s.object(
      { personId: s.id, subject: s.id, previousSubject: s.id },
      {
        /** Whether the person was disabled. */
        disabled: s.flag,
      },
    ),
  ),
  PersonDisabled: event(s.object({ personId: s.id }, { subject: s.id })),
  PersonEnabled: event(s.object({ personId: s.id }, { subject: s.id })),
};

export type PeopleEvent = EventOf<typeof PEOPLE_EVENTS>;
export const PEOPLE_EVENT_TYPES: readonly string[] = Object.keys(PEOPLE_EVENTS);
export const isPeopleEvent = guardOf(PEOPLE_EVENTS);

export const personEventStream = (personId: string): string => `person-${personId}`;

import { covers } from '../domain/credentials/decisions.ts';
import type { Credential } from '../domain/credentials/state.ts';
import * as decide from '../domain/people/decisions.ts';
import { type PeopleEvent, personEventStream } from '../domain/people/events.ts';
import { type Identified, type Person, personDecider, roleOf } from '../domain/people/state.ts';
import { conflict, notFound } from '../domain/problem.ts';
import type { Position } from '../stores/eventStore.ts';
import type { Keys } from '../stores/keys/openKeys.ts';
import type { CredentialDeps } from './credentials.ts';
import { type AppendContext, type Handled, handle, load } from './handle.ts';
import { type MadeToken, type Revoked, revokeMatching, startSession } from './sessions.ts';

export interface PeopleDeps extends CredentialDeps {
  readonly keys: Pick<Keys, 'isErased' | 'subjectKey'>;
}

/** Why a person whom the identity provider vouches for may not sign in. */
export type SignInRefusal = 'no-role' | 'disabled' | 'erased';

/** Signs a person in: records what the identity provider says and starts a session. A refused person is recorded too, for administrators to see. */
export const signInPerson = async (
  deps: PeopleDeps,
  identified: Identified,
  device: string,
  context: AppendContext,
): Promise<MadeToken | SignInRefusal> => {
  const { personId } = identified;
  if (await deps.keys.isErased(personId)) return 'erased';
  const { state, events } = await handlePerson(deps, personId, (person) => decide.identify(person, identified), context);
  const person = existing(state);
  if (await deps.keys.isErased(person.subject)) return 'erased';
  if (events.length > 0) await withdraw(deps, person, context);
  const role = roleOf(person);
  if (role === null) return person.disabled ? 'disabled' : 'no-role';
  const session = await startSession(deps, { subject: person.subject, personId, device, role }, context);
  // An administrator may have changed the person meanwhile, and revoked only the earlier sessions.
  await withdraw(deps, existing(await load(deps.log, personEventStream(personId), personDecider)), context);
  return session;
};

/** Everyone who has streams, credentials or a sign-in has a key: a mistyped id has none. */
const checkOwner = async ({ keys }: PeopleDeps, subject: string): Promise<void> => {
  if (await keys.isErased(subject)) throw conflict('This owner has been erased. Choose another one.');
  if ((await keys.subjectKey(subject, { create: false })) === null) throw notFound('owner');
};

/** Revokes the sessions and keys of a person whom the settings do not let in any more, if they have signed in before. */
export const withdrawRefused = async (deps: PeopleDeps, personId: string, context: AppendContext): Promise<void> => {
  const person = await load(deps.log, personEventStream(personId), personDecider);
  if (person) await withdraw(deps, { ...person, claimedRole: null, chosenRole: null, defaultRole: null }, context);
};

/**
 * Changes a person, and revokes their sessions and keys that the change does not allow. If interrupted, call it again. Rejects with a `Problem`: 404 for
 * an unknown person, and for an owner to link who has nothing; 409.
 */
export const changePerson = async (
  deps: PeopleDeps,
  personId: string,
  change: decide.PersonChange,
  context: AppendContext,
): Promise<Revoked> => {
  if (change.subject !== undefined) await checkOwner(deps, change.subject);
  const { state, position } = await handlePerson(deps, personId, (person) => decide.changePerson(person, change), context);
  const ended = await withdraw(deps, existing(state), context);
  return { ...ended, position: ended.position ?? position };
};

/** Revokes the sessions and keys that a person has in the libraries of others. Returns their number. */
export const revokeOfPerson = async (deps: CredentialDeps, personId: string, reason: string, context: AppendContext): Promise<number> => {
  const person = await load(deps.log, personEventStream(personId), personDecider);
  const isTheirs = (credential: Credential) => credential.personId === personId;
  let count = 0;
  for (const subject of person?.subjects.slice(1) ?? [])
    count += (await revokeMatching(deps, subject, isTheirs, reason, context)).revoked.length;
  return count;
};

/** After a person's erasure: the owner they were linked to, who stays, is listed again. */
export const unlinkErased = async (
  deps: CredentialDeps & Pick<PeopleDeps, 'keys'>,
  personId: string,
  context: AppendContext,
): Promise<void> => {
  const person = await load(deps.log, personEventStream(personId), personDecider);
  if (!person || (await deps.keys.isErased(person.subject))) return;
  await handlePerson(deps, personId, (present) => decide.changePerson(present, { subject: personId }), context);
};

/** Revokes a person's sessions and keys that their present role and link do not allow, and all keys of a disabled person's own subject. */
const withdraw = async (deps: PeopleDeps, person: Person, context: AppendContext): Promise<Revoked> => {
  const revoked: string[] = [];
  let position: Position | null = null;
  for (const subject of person.subjects) {
    const ended = await withdrawOf(deps, person, subject, context);
    revoked.push(...ended.revoked);
    position = ended.position ?? position;
  }
  return { revoked, position };
};

const withdrawOf = (deps: PeopleDeps, person: Person, subject: string, context: AppendContext) => {
  const { personId, disabled } = person;
  const role = subject === person.subject ? roleOf(person) : null;
  const isTheirs = (credential: Credential) => credential.personId === personId || (disabled && subject === personId);
  const isAllowed = (credential: Credential) => (credential.kind === 'session' ? credential.role === role : covers(role, credential.role));
  const matches = (credential: Credential) => isTheirs(credential) && !isAllowed(credential);
  return revokeMatching(deps, subject, matches, 'The role or the owner of the person changed', context);
};

const handlePerson = (
  deps: CredentialDeps,
  personId: string,
  decision: (person: Person | null) => readonly PeopleEvent[],
  context: AppendContext,
): Promise<Handled<Person | null>> =>
  handle(deps, {
    eventStream: personEventStream(personId),
    decider: personDecider,
    decide: decision,
    context: { ...context, subject: personId },
  });

/** For a person about whom something was just decided. */
const existing = (person: Person | null): Person => {
  if (!person) throw new Error('the person has no events');
  return person;
};

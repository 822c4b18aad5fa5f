import { expect, test } from 'vitest';
import { loadCredentials } from '../../../src/commands/credentials.ts';
import { changePerson, signInPerson } from '../../../src/commands/people.ts';
import { credentialsEventStream } from '../../../src/domain/credentials/events.ts';
import { StoreUnavailable } from '../../../src/stores/eventStore.ts';
import { BY, commandRig } from '../../fakes/commandRig.ts';

const ADA = { personId: 'ada', issuer: 'https://login', name: 'Ada', email: null, claimedRole: null, defaultRole: 'user' } as const;

/** Ada, who is signed in and works with the library of `first`. */
const given = async () => {
  const { deps, store, keys } = commandRig();
  for (const owner of ['first', 'second']) await keys.subjectKey(owner, { create: true });
  const signIn = () => signInPerson(deps, ADA, 'Firefox', BY);
  await signIn();
  await changePerson(deps, ADA.personId, { subject: 'first' }, BY);
  await signIn();
  const link = (subject: string) => changePerson(deps, ADA.personId, { subject }, BY);
  const valid = async (subject: string) => (await loadCredentials(deps.log, subject)).filter(({ revokedTimestamp }) => !revokedTimestamp);
  return { store, link, valid };
};

test('a change that was interrupted before it revoked sessions revokes them when it is repeated', async () => {
  const { store, link, valid } = await given();
  expect(await valid('first')).toHaveLength(1);
  store.beforeAppend = (eventStream) => {
    if (eventStream === credentialsEventStream('first')) throw new StoreUnavailable('away');
    return undefined;
  };
  await expect(link('second')).rejects.toThrow();
  expect(await valid('first')).toHaveLength(1);
  store.beforeAppend = () => undefined;
  expect((await link('second')).revoked).toHaveLength(1);
  expect(await valid('first')).toEqual([]);
});

import type { CredentialDocument } from '../../projections/credentials.ts';
import type { ReadModels } from '../../projections/readModels.ts';
import { usersProjection } from '../../projections/users.ts';

/** Of a session that a sign-in link started. */
const LINKED = 'Administrator, by a sign-in link';

/** The name of each credential for people, by its id: the label, or the name of the person who signed in. `null` once erased. */
export const namesOf = async (
  readModels: Pick<ReadModels, 'getMany'>,
  credentials: readonly CredentialDocument[],
): Promise<ReadonlyMap<string, string | null>> => {
  const sessions = credentials.filter(({ kind }) => kind === 'session');
  const users = await readModels.getMany(usersProjection, [...new Set(sessions.flatMap(({ personId }) => personId ?? []))]);
  const people = new Map(users.map(({ userId, person }) => [userId, person?.name ?? null]));
  const nameOf = ({ kind, label, personId = null }: CredentialDocument) => {
    if (kind !== 'session') return label;
    return personId === null ? LINKED : (people.get(personId) ?? null);
  };
  return new Map(credentials.map((credential) => [credential.credentialId, nameOf(credential)]));
};

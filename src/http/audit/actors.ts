import { roleOf } from '../../domain/people/state.ts';
import type { Shape } from '../../json.ts';
import { credentialsProjection } from '../../projections/credentials.ts';
import type { ReadModels } from '../../projections/readModels.ts';
import { usersProjection } from '../../projections/users.ts';
import * as s from '../../schema.ts';
import { namesOf } from '../credentials/names.ts';
import { isUuid } from '../input/uuid.ts';

/** Looked up for one answer. */
const MOST_ACTORS = 100;

export const ACTORS_SCHEMA = s.described(
  s.list(
    s.named(
      'LogActor',
      s.resource({
        id: s.described(s.text, 'As in `metadata.actor`.'),
        label: s.described(s.nullable(s.text), 'Null once its owner has been erased.'),
        role: s.text,
        subject: s.text,
      }),
    ),
  ),
  'Credentials and people that caused these events, each once. Parts of the platform, such as `retention`, are left out. Empty with `form=stored`, since labels are personal.',
);

/** The credentials and the people behind the actors of some events. A person signs in without a credential. */
export const actorsOf = async (
  readModels: ReadModels,
  events: readonly { readonly metadata: unknown }[],
): Promise<Shape<typeof ACTORS_SCHEMA>> => {
  const ids = new Set(events.map(({ metadata }) => actorOf(metadata)).filter(isUuid));
  const looked = [...ids].slice(0, MOST_ACTORS);
  const credentials = await readModels.getMany(credentialsProjection, looked);
  const names = await namesOf(readModels, credentials);
  const people = await readModels.getMany(usersProjection, looked);
  return [
    ...credentials.map(({ credentialId: id, role, subject }) => ({ id, label: names.get(id) ?? null, role, subject })),
    ...people.flatMap(({ person }) =>
      person ? [{ id: person.personId, label: person.name, role: roleOf(person) ?? 'none', subject: person.subject }] : [],
    ),
  ];
};

const actorOf = (metadata: unknown): string =>
  typeof metadata === 'object' && metadata !== null && 'actor' in metadata ? String(metadata.actor) : '';

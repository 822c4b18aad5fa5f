import type { Shape } from '../../json.ts';
import { credentialsProjection } from '../../projections/credentials.ts';
import type { ReadModels } from '../../projections/readModels.ts';
import * as s from '../../schema.ts';
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
  'Credentials that caused these events, each once. Parts of the platform, such as `retention`, are left out. Empty with `form=stored`, since labels are personal.',
);

/** The credentials behind the actors of some events. */
export const actorsOf = async (
  readModels: ReadModels,
  events: readonly { readonly metadata: unknown }[],
): Promise<Shape<typeof ACTORS_SCHEMA>> => {
  const ids = new Set(events.map(({ metadata }) => actorOf(metadata)).filter(isUuid));
  const found = await Promise.all([...ids].slice(0, MOST_ACTORS).map((id) => readModels.get(credentialsProjection, id)));
  return found.flatMap((document) =>
    document ? [{ id: document.credentialId, label: document.label, role: document.role, subject: document.subject }] : [],
  );
};

const actorOf = (metadata: unknown): string =>
  typeof metadata === 'object' && metadata !== null && 'actor' in metadata ? String(metadata.actor) : '';

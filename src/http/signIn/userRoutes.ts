import { Big } from 'big.js';
import { type Clock, isoTime } from '../../clock.ts';
import type { CredentialUses } from '../../commands/credentialUses.ts';
import { changePerson, type PeopleDeps } from '../../commands/people.ts';
import { highestRole } from '../../domain/credentials/caller.ts';
import type { PersonChange } from '../../domain/people/decisions.ts';
import { type Person, roleOf } from '../../domain/people/state.ts';
import { credentialsProjection } from '../../projections/credentials.ts';
import type { ReadModels } from '../../projections/readModels.ts';
import { streamsProjection } from '../../projections/streams.ts';
import { usageProjection } from '../../projections/usage.ts';
import { usageRecordsProjection } from '../../projections/usageRecords.ts';
import { type UserDocument, usersProjection } from '../../projections/users.ts';
import * as s from '../../schema.ts';
import { listParameters, pageOf } from '../answers/page.ts';
import { readPage } from '../answers/readPage.ts';
import type { CredentialDirectory } from '../auth/credentialDirectory.ts';
import { ROLE_SCHEMA } from '../credentials/credentialSchemas.ts';
import { UUID_SCHEMA } from '../input/uuid.ts';
import { commandContext } from '../route/commandContext.ts';
import { type ApiRequest, type ApiResponse, defineRoute, type Route } from '../route/route.ts';
import { pageSchema } from '../streams/streamSchemas.ts';

export interface UserRoutesDeps extends PeopleDeps {
  readonly readModels: ReadModels;
  readonly directory: Pick<CredentialDirectory, 'forget'>;
  readonly uses: Pick<CredentialUses, 'lastUsed'>;
  readonly clock: Pick<Clock, 'now'>;
}

const PATH = '/credential-service/api/v1/users';
const MODELS = [usersProjection, credentialsProjection, streamsProjection, usageProjection, usageRecordsProjection].map(({ name }) => name);
const SHARED = { tag: 'Credentials', access: ['admin'], reads: MODELS } as const;
const NEWEST_FIRST = [{ member: 'createdTimestamp', direction: 'desc' }] as const;
/** The last use and the role of an owner are those of the newest credentials, up to this number, revoked ones included. */
const MOST_CREDENTIALS = 100;

const USER = s.named(
  'User',
  s.resource({
    id: s.text,
    kind: s.described(s.oneOf('person', 'owner'), '`owner`: an owner of credentials who never signed in.'),
    subject: s.described(s.text, 'Owner of what the user does. Differs from `id` for a person who is linked to another owner.'),
    ownerName: s.described(s.nullable(s.text), 'Name of the subject that the person is linked to. Null for their own, and once erased.'),
    others: s.described(s.list(s.text), 'Names of the other people who are linked to the subject. They are erased with it.'),
    name: s.described(s.nullable(s.text), 'Of the person, or label of the first credential. Null once erased.'),
    email: s.nullable(s.text),
    role: s.described(s.nullable(ROLE_SCHEMA), 'Null: may not sign in, or has no credential.'),
    roleSource: s.described(
      s.nullable(s.oneOf('claim', 'administrator', 'settings')),
      'Source of the role of a person. The first in this order counts.',
    ),
    chosenRole: s.described(s.nullable(ROLE_SCHEMA), 'Role that an administrator chose, also while one of the identity provider counts.'),
    disabled: s.flag,
    createdTimestamp: s.time,
    lastUsedTimestamp: s.described(
      s.nullable(s.time),
      'Last use of a session or a credential, to the minute; of a person only their sessions and the keys that they issued.',
    ),
    streams: s.described(s.count, 'Streams of the subject.'),
    keptBytes: s.described(s.count, 'Bytes that its streams keep.'),
    creditsOfMonth: s.described(s.text, 'Since the first day of this month (UTC), decimal text with up to 6 decimals.'),
  }),
);

const CHANGE = s.named('UserChange', {
  type: 'object',
  additionalProperties: false,
  properties: {
    role: s.described(s.nullable(ROLE_SCHEMA), 'Null: the role of the settings. A role is 409 if the identity provider gives one.'),
    disabled: s.described(s.flag, 'Ends all sessions and revokes the keys of the person.'),
    subject: s.described(
      UUID_SCHEMA,
      "Owner whose library becomes the person's. Their own is their id. Ends their sessions and revokes the keys they issued.",
    ),
  },
} as const);

/** Administrators see everyone and change people. */
export const userRoutes = (deps: UserRoutesDeps): readonly Route[] => [
  defineRoute({
    ...SHARED,
    operationId: 'listUsers',
    method: 'GET',
    path: PATH,
    summary: 'Lists people who signed in and owners of credentials, newest first.',
    description: 'A person who is linked to an owner is listed in the place of that owner.',
    query: listParameters('createdTimestamp,desc'),
    responses: { 200: { description: 'A page of users.', schema: pageSchema(USER) } },
    handle: async ({ query }) => {
      const { documents, total } = await readPage(
        deps.readModels,
        usersProjection,
        { where: { hidden: false }, newestBy: 'createdTimestamp' },
        query,
      );
      return { status: 200, body: pageOf(await Promise.all(documents.map((user) => shown(deps, user))), total, query) };
    },
  }),
  defineRoute({
    ...SHARED,
    operationId: 'changeUser',
    method: 'PATCH',
    path: `${PATH}/{userId}`,
    summary: "Changes a person's role, disables or enables them, or links them to an owner.",
    description:
      'Absent members stay as they are. Owners who never signed in are 404: their credentials have the roles. So is a subject without streams, credentials and person.',
    body: {
      kind: 'json',
      schema: CHANGE,
      limitBytes: 1_024,
      examples: { role: { summary: 'Make someone an auditor', value: { role: 'auditor' } } },
    },
    responses: {
      204: { description: 'Changed.' },
      409: { description: 'The role comes from the identity provider, or the owner was erased.' },
    },
    handle: (request) => changed(deps, request),
  }),
];

const changed = async (
  deps: UserRoutesDeps,
  request: ApiRequest<{ readonly userId: string }, unknown, PersonChange>,
): Promise<ApiResponse> => {
  const { userId } = request.params;
  const change = { ...request.body, subject: request.body.subject?.toLowerCase() };
  const { revoked, position } = await changePerson(deps, userId, change, commandContext(request, userId));
  for (const id of revoked) deps.directory.forget(id);
  return { status: 204, consistency: { position, projections: ['users', 'credentials'], shown: true } };
};

const nameOf = ({ person, label }: UserDocument): string | null => (person ? person.name : label);

/** Owner of the library that a user works with, and the other people who do. */
const sharing = async ({ readModels }: UserRoutesDeps, user: UserDocument, subject: string) => {
  const owner = subject === user.userId ? user : await readModels.get(usersProjection, subject);
  const ids = (owner?.linkedBy ?? []).filter((id) => id !== user.userId);
  const others = await readModels.getMany(usersProjection, ids);
  return { ownerName: owner && owner !== user ? nameOf(owner) : null, others: others.flatMap((other) => nameOf(other) ?? []) };
};

const shown = async (deps: UserRoutesDeps, user: UserDocument) => {
  const { readModels } = deps;
  const { userId, person, createdTimestamp } = user;
  const subject = person?.subject ?? userId;
  const newest = { orderBy: NEWEST_FIRST, limit: MOST_CREDENTIALS };
  const [credentials, streams, keptBytes, creditsOfMonth] = await Promise.all([
    readModels.find(credentialsProjection, { where: person ? { personId: userId } : { subject }, ...newest }),
    readModels.count(streamsProjection, { creatorId: subject }),
    readModels.sum(usageProjection, 'keptBytes', { creatorId: subject, expired: false }),
    credits(deps, subject),
  ]);
  const lastUsed = await deps.uses.lastUsed(credentials.map(({ credentialId }) => credentialId));
  return {
    id: userId,
    kind: person ? 'person' : 'owner',
    subject,
    ...(await sharing(deps, user, subject)),
    name: nameOf(user),
    email: person?.email ?? null,
    role: person ? roleOf(person) : highestRole(credentials.flatMap(({ revoked, role }) => (revoked ? [] : role))),
    roleSource: person ? sourceOf(person) : null,
    chosenRole: person?.chosenRole ?? null,
    disabled: person?.disabled ?? false,
    createdTimestamp,
    lastUsedTimestamp: [...lastUsed.values()].sort().at(-1) ?? null,
    streams,
    keptBytes,
    creditsOfMonth,
  };
};

const sourceOf = ({ claimedRole, chosenRole, defaultRole }: Person) => {
  if (claimedRole !== null) return 'claim';
  if (chosenRole !== null) return 'administrator';
  return defaultRole === null ? null : 'settings';
};

/** Of a sum of floating-point numbers. */
const DECIMALS = 6;

const credits = async ({ readModels, clock }: UserRoutesDeps, subject: string): Promise<string> => {
  const day = { from: `${isoTime(clock.now()).slice(0, 7)}-01` };
  const sum = await readModels.sum(usageRecordsProjection, 'amount', { subject, day });
  return new Big(sum).round(DECIMALS).toFixed();
};

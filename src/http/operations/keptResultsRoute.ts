import { type Clock, DAY_MILLISECONDS, isoTime } from '../../clock.ts';
import { type Expiries, NEVER, periodsOf } from '../../commands/openStreams/expiries.ts';
import { RETENTION_CLASSES } from '../../commands/openStreams/openStreams.ts';
import type { RetentionPeriods } from '../../domain/stream/retention.ts';
import type { KeptBytes } from '../../projections/keptBytes.ts';
import type { ReadModels } from '../../projections/readModels.ts';
import { usageProjection } from '../../projections/usage.ts';
import { type UserDocument, usersProjection } from '../../projections/users.ts';
import * as s from '../../schema.ts';
import { type ApiResponse, defineRoute, type Route } from '../route/route.ts';

export interface KeptResultsDeps {
  readonly readModels: Pick<ReadModels, 'sumsBy' | 'getMany'>;
  readonly expiries: Pick<Expiries, 'earliest'>;
  readonly keptBytes: Pick<KeptBytes, 'limit'>;
  readonly retention: RetentionPeriods;
  readonly clock: Pick<Clock, 'now'>;
}

/** Next deletions of each class that count as due within a day. */
const MOST_DUE = 500;

const USER = s.named(
  'KeptByUser',
  s.resource({
    subject: s.described(s.text, 'Owner of the streams.'),
    names: s.described(
      s.list(s.text),
      'Names of the people who work with its library, or the label of its first credential. Empty once erased.',
    ),
    streams: s.count,
    bytes: s.described(s.count, 'Uploads and results.'),
    dueStreams: s.described(s.count, 'Of these streams, those that are deleted within a day.'),
    dueBytes: s.count,
  }),
);
const DUE = s.named(
  'DueDeletion',
  s.resource({ streamId: s.uuid, subject: s.text, bytes: s.count, until: s.described(s.time, 'Live readers keep ephemeral data longer.') }),
);
const KEPT = s.named(
  'KeptResults',
  s.resource({
    users: s.described(s.count, 'Owners who keep something.'),
    streams: s.count,
    bytes: s.count,
    limitBytes: s.described(s.nullable(s.count), 'KEPT_BYTES_PER_USER: uploads of a user get 429 at it. Null without a limit.'),
    byUser: s.described(s.list(USER), 'Those who keep most come first.'),
    due: s.described(s.list(DUE), 'The next deletions.'),
  }),
);

/** The disk space of kept results by user, and the next deletions. */
export const keptResultsRoute = (deps: KeptResultsDeps): Route =>
  defineRoute({
    tag: 'Operations',
    method: 'GET',
    access: ['admin'],
    reads: [usageProjection.name, usersProjection.name],
    operationId: 'findKeptResults',
    path: '/operations-service/api/v1/kept-results',
    summary: 'Disk space of kept results by user, and the next deletions.',
    description: `Bytes of the uploads and results of streams that have not expired. Unfinished uploads do not count. \`dueStreams\` looks at the next ${MOST_DUE} deletions of each kind.`,
    query: {
      size: {
        schema: { type: 'integer', minimum: 1, maximum: 1_000, default: 20 },
        description: 'Most users and most deletions in the answer.',
      },
    },
    responses: { 200: { description: 'The state now.', schema: KEPT } },
    handle: ({ query }) => kept(deps, query.size),
  });

const kept = async (deps: KeptResultsDeps, size: number): Promise<ApiResponse> => {
  const { readModels, keptBytes, clock } = deps;
  const [sums, next] = await Promise.all([
    readModels.sumsBy(usageProjection, 'creatorId', 'keptBytes', { expired: false }),
    nextDeletions(deps),
  ]);
  const largest = sums.toSorted((a, b) => b.sum - a.sum || (a.value < b.value ? -1 : 1)).slice(0, size);
  const names = await namesOf(
    deps,
    largest.map(({ value }) => value),
  );
  const dayEnd = clock.now() + DAY_MILLISECONDS;
  const dueOf = (subject: string) => next.filter((one) => one.subject === subject && one.until <= dayEnd);
  return {
    status: 200,
    body: {
      users: sums.length,
      streams: sums.reduce((total, { count }) => total + count, 0),
      bytes: sums.reduce((total, { sum }) => total + sum, 0),
      limitBytes: keptBytes.limit === 0 ? null : keptBytes.limit,
      byUser: largest.map(({ value: subject, count: streams, sum: bytes }) => ({
        subject,
        names: names(subject),
        streams,
        bytes,
        dueStreams: dueOf(subject).length,
        dueBytes: dueOf(subject).reduce((total, one) => total + one.bytes, 0),
      })),
      due: next.slice(0, size).map(({ until, ...one }) => ({ ...one, until: isoTime(until) })),
    },
  };
};

interface Deletion {
  readonly streamId: string;
  readonly subject: string;
  readonly bytes: number;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

/** The next ones, the earliest first. */
const nextDeletions = async ({ readModels, expiries, retention }: KeptResultsDeps): Promise<Deletion[]> => {
  const periods = periodsOf(retention);
  const classes = RETENTION_CLASSES.filter((one) => one !== 'unredacted');
  const noted = (await Promise.all(classes.map((one) => expiries.earliest(one, MOST_DUE)))).flat();
  const until = new Map(noted.filter(({ since }) => since < NEVER).map((one) => [one.streamId, one.since + periods[one.retention]]));
  const documents = await readModels.getMany(usageProjection, [...until.keys()]);
  return documents
    .map(({ streamId, creatorId: subject, keptBytes: bytes }) => ({ streamId, subject, bytes, until: until.get(streamId) ?? NEVER }))
    .sort((a, b) => a.until - b.until);
};

/** Of the owner, and of the people who are linked to it. */
const namesOf = async ({ readModels }: KeptResultsDeps, subjects: readonly string[]): Promise<(subject: string) => string[]> => {
  const owners = await readModels.getMany(usersProjection, subjects);
  const linked = await readModels.getMany(usersProjection, [...new Set(owners.flatMap(({ linkedBy }) => linkedBy))]);
  const known = new Map([...owners, ...linked].map((user) => [user.userId, user]));
  const nameOf = ({ person, label }: UserDocument): string | null => (person ? person.name : label);
  return (subject) =>
    [subject, ...(known.get(subject)?.linkedBy ?? [])].flatMap((id) => {
      const user = known.get(id);
      return (user && nameOf(user)) ?? [];
    });
};

import { MAX_WAITING_STREAMS, type Matches } from '../../../domain/reruns/decisions.ts';
import type { BulkRerunFilter } from '../../../domain/reruns/state.ts';
import type { ReadModels } from '../../../projections/readModels.ts';
import { streamsProjection } from '../../../projections/streams.ts';
import type { FindOptions } from '../../../stores/documents.ts';
import { ownTurn } from '../../../supervision/ownTurn.ts';

type Where = NonNullable<FindOptions['where']>;

/** The largest page of a list, so that a match delays others no longer than a list does. */
const READ_AT_ONCE = 100;

const whereOf = (creatorId: string, { state, streamConfigurationTemplateId, errorName, groupId }: BulkRerunFilter): Where => ({
  creatorId,
  state: state === null ? ['COMPLETED', 'FAILED'] : state,
  ...(streamConfigurationTemplateId !== null && { streamConfigurationTemplateId }),
  ...(errorName !== null && { errorName }),
  ...(groupId !== null && { groupId }),
});

const createdWithin = ({ since, until }: Pick<BulkRerunFilter, 'since' | 'until'>): Where => {
  if (since !== null) return { createdTimestamp: until === null ? { from: since } : { from: since, to: until } };
  return until === null ? {} : { createdTimestamp: { to: until } };
};

/** Number of the user's ended streams that match the filter. */
export const countMatches = (readModels: ReadModels, subject: string, filter: BulkRerunFilter): Promise<number> =>
  readModels.count(streamsProjection, { ...whereOf(subject, filter), ...createdWithin(filter) });

/** Ids of the user's ended streams that match the filter, oldest first. */
export const matchStreams = async (readModels: ReadModels, subject: string, filter: BulkRerunFilter): Promise<Matches> => {
  const total = await countMatches(readModels, subject, filter);
  const streamIds = new Set<string>();
  let { since } = filter;
  // Streams of the same millisecond as the last one cannot be separated by time.
  let skip = 0;
  for (;;) {
    const found = await readModels.find(streamsProjection, {
      where: { ...whereOf(subject, filter), ...createdWithin({ ...filter, since }) },
      orderBy: [{ member: 'createdTimestamp', direction: 'asc' }],
      ...{ skip, limit: READ_AT_ONCE },
    });
    for (const { streamId } of found) streamIds.add(streamId);
    const last = found.at(-1)?.createdTimestamp;
    // A stream matched twice counts once; one that changes meanwhile may be missed.
    if (last === undefined || found.length < READ_AT_ONCE || streamIds.size >= MAX_WAITING_STREAMS) break;
    skip = (last === since ? skip : 0) + found.filter(({ createdTimestamp }) => createdTimestamp === last).length;
    since = last;
    await ownTurn();
  }
  const oldest = [...streamIds].slice(0, MAX_WAITING_STREAMS);
  return { total: Math.max(total, oldest.length), streamIds: oldest };
};

import { MAX_WAITING_STREAMS, type Matches } from '../../../domain/reruns/decisions.ts';
import type { BulkRerunFilter } from '../../../domain/reruns/state.ts';
import type { ReadModels } from '../../../projections/readModels.ts';
import { streamsProjection } from '../../../projections/streams.ts';
import type { FindOptions } from '../../../stores/documents.ts';

type Where = NonNullable<FindOptions['where']>;

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
  // Ids only: a stream may take 2 MiB in memory.
  const streamIds = await readModels.findIds(streamsProjection, {
    where: { ...whereOf(subject, filter), ...createdWithin(filter) },
    orderBy: [{ member: 'createdTimestamp', direction: 'asc' }],
    limit: MAX_WAITING_STREAMS,
  });
  return { total: Math.max(total, streamIds.length), streamIds };
};

import { credentialsProjection } from './credentials.ts';
import { deliveriesProjection } from './deliveries.ts';
import { endpointsProjection } from './endpoints.ts';
import { groupsProjection } from './groups.ts';
import type { Projection } from './projection.ts';
import { type ReadResults, type SearchDocument, searchProjection } from './search.ts';
import { streamsProjection } from './streams.ts';
import { usageProjection } from './usage.ts';
import { usageRecordsProjection } from './usageRecords.ts';
import { usersProjection } from './users.ts';

/** Every read model of the product. */
export const allProjections: readonly Projection<object>[] = [
  streamsProjection,
  groupsProjection,
  usageProjection,
  usageRecordsProjection,
  credentialsProjection,
  usersProjection,
  deliveriesProjection,
  endpointsProjection,
  searchProjection,
];

/** The same with what reads the results of streams for `search`. */
export const projectionsWith = (complete: ReadResults): readonly Projection<object>[] => {
  const search: Projection<SearchDocument> = { ...searchProjection, complete };
  return allProjections.map((projection) => (projection.name === search.name ? search : projection));
};

import { credentialsProjection } from './credentials.ts';
import { deliveriesProjection } from './deliveries.ts';
import { endpointsProjection } from './endpoints.ts';
import { groupsProjection } from './groups.ts';
import type { Projection } from './projection.ts';
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
];

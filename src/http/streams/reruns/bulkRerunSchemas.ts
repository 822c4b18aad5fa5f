import * as s from '../../../schema.ts';
import { FILTER_MEMBERS } from '../streamFilter.ts';
import { RERUN_MEMBERS } from './rerunRoutes.ts';

export const BULK_RERUN_BODY = {
  title: 'BulkRerunDraft',
  type: 'object',
  required: ['filter'],
  additionalProperties: false,
  properties: {
    filter: {
      title: 'RerunFilterDraft',
      type: 'object',
      additionalProperties: false,
      description: 'Which streams run again. At least one member.',
      properties: FILTER_MEMBERS,
    },
    ...RERUN_MEMBERS,
    dryRun: { type: ['boolean', 'null'], description: 'Only counts: nothing is queued.' },
  },
} as const;

export const BULK_RERUN_ACCEPTED = s.named(
  'BulkRerunAccepted',
  s.resource({
    matched: s.described(s.count, 'Streams that the filter found.'),
    started: s.described(s.count, 'Streams that were queued.'),
    requestId: s.described({ type: ['string', 'null'], format: 'uuid' }, 'Names the bulk rerun. Null for a dry run.'),
  }),
);

const FILTER = s.named(
  'RerunFilter',
  s.resource({
    state: s.nullable(s.text),
    since: s.nullable(s.time),
    until: s.nullable(s.time),
    streamConfigurationTemplateId: s.nullable(s.text),
    errorName: s.nullable(s.text),
    groupId: s.nullable(s.uuid),
  }),
);

export const BULK_RERUN = s.named(
  'BulkRerun',
  s.resource({
    requestId: s.uuid,
    state: s.described(s.named('BulkRerunState', s.oneOf('RUNNING', 'COMPLETED', 'CANCELED')), '`RUNNING`: streams still wait.'),
    filter: FILTER,
    from: s.nullable(s.text),
    reason: s.nullable(s.text),
    requestedBy: s.described(s.text, 'The credential that asked.'),
    requestedTimestamp: s.time,
    endedTimestamp: s.nullable(s.time),
    matched: s.count,
    queued: s.count,
    waiting: s.described(s.count, 'Streams that wait for their turn.'),
    started: s.described(s.count, 'Streams that run again or have run.'),
    refused: s.described(s.count, 'Streams that could not run again.'),
    refusals: s.described(
      s.list(s.named('BulkRerunRefusal', s.resource({ streamId: s.uuid, statusCode: s.integer, message: s.nullable(s.text) }))),
      'The first 20 of them.',
    ),
  }),
);

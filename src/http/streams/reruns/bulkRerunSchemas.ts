import {
  count,
  described,
  integer,
  listOf,
  named,
  oneOf,
  resource,
  text,
  textOrNull,
  time,
  timeOrNull,
  uuid,
  uuidOrNull,
} from '../../input/jsonSchemas.ts';
import { RERUN_MEMBERS } from './rerunRoutes.ts';

const TIME = { type: ['string', 'null'], maxLength: 64, examples: ['2026-03-01T00:00:00Z'] } as const;
const id = (description: string) => ({ type: ['string', 'null'], maxLength: 255, description }) as const;

const FILTER_MEMBERS = {
  state: { type: ['string', 'null'], enum: ['COMPLETED', 'FAILED', null], description: 'Absent: COMPLETED and FAILED streams.' },
  since: { ...TIME, description: 'Only streams created at this time or later. ISO 8601; UTC without an offset.' },
  until: { ...TIME, description: 'Only streams created at this time or earlier. ISO 8601; UTC without an offset.' },
  streamConfigurationTemplateId: id('Only streams that use this template.'),
  errorName: id('Only FAILED streams whose first failed stage has this error name, such as `PROCESSOR_GENERAL_ERROR`.'),
  groupId: { type: ['string', 'null'], format: 'uuid', description: 'Only streams of this group.' },
} as const;

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

export const BULK_RERUN_ACCEPTED = named(
  'BulkRerunAccepted',
  resource({
    matched: described(count, 'Streams that the filter found.'),
    started: described(count, 'Streams that were queued.'),
    requestId: described({ type: ['string', 'null'], format: 'uuid' }, 'Names the bulk rerun. Null for a dry run.'),
  }),
);

const FILTER = named(
  'RerunFilter',
  resource({
    state: textOrNull,
    since: timeOrNull,
    until: timeOrNull,
    streamConfigurationTemplateId: textOrNull,
    errorName: textOrNull,
    groupId: uuidOrNull,
  }),
);

export const BULK_RERUN = named(
  'BulkRerun',
  resource({
    requestId: uuid,
    state: described(named('BulkRerunState', oneOf('RUNNING', 'COMPLETED', 'CANCELED')), '`RUNNING`: streams still wait.'),
    filter: FILTER,
    from: textOrNull,
    reason: textOrNull,
    requestedBy: described(text, 'The credential that asked.'),
    requestedTimestamp: time,
    endedTimestamp: timeOrNull,
    matched: count,
    queued: count,
    waiting: described(count, 'Streams that wait for their turn.'),
    started: described(count, 'Streams that run again or have run.'),
    refused: described(count, 'Streams that could not run again.'),
    refusals: described(
      listOf(named('BulkRerunRefusal', resource({ streamId: uuid, statusCode: integer, message: textOrNull }))),
      'The first 20 of them.',
    ),
  }),
);

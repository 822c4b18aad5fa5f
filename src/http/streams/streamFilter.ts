import { timeOf } from '../../domain/parseTime.ts';
import { Problem } from '../../domain/problem.ts';
import { labelKey } from '../../domain/stream/labels.ts';
import type { Shape } from '../../json.ts';
import type { FindOptions } from '../../stores/documents.ts';
import { createdWithin } from './streamLookup.ts';

const TIME = { type: ['string', 'null'], maxLength: 64, examples: ['2026-03-01T00:00:00Z'] } as const;
const id = (description: string) => ({ type: ['string', 'null'], maxLength: 255, description }) as const;

/** Members of a filter of streams. */
export const FILTER_MEMBERS = {
  state: { type: ['string', 'null'], enum: ['COMPLETED', 'FAILED', null], description: 'Absent: COMPLETED and FAILED streams.' },
  since: { ...TIME, description: 'Only streams created at this time or later. ISO 8601; UTC without an offset.' },
  until: { ...TIME, description: 'Only streams created at this time or earlier. ISO 8601; UTC without an offset.' },
  streamConfigurationTemplateId: id('Only streams that use this template.'),
  errorName: id('Only FAILED streams whose first failed stage has this error name, such as `PROCESSOR_GENERAL_ERROR`.'),
  groupId: { type: ['string', 'null'], format: 'uuid', description: 'Only streams of this group.' },
} as const;

/** Filter of the commands that change many streams of the library. */
export const LIBRARY_FILTER = {
  title: 'StreamFilterDraft',
  type: 'object',
  additionalProperties: false,
  description: 'Which streams are changed. At least one member.',
  properties: {
    ...FILTER_MEMBERS,
    state: {
      type: ['string', 'null'],
      enum: ['READY', 'COMPLETED', 'FAILED', 'EXPIRED', null],
      description: 'Absent: streams in any state.',
    },
    label: {
      type: ['array', 'null'],
      items: { type: 'string', maxLength: 255 },
      maxItems: 100,
      description: 'Only streams with all of these labels.',
    },
  },
} as const;

/** Condition on the read model of streams. Throws 400 for an empty filter, which would match everything. */
export const whereOf = (creatorId: string, filter: Shape<typeof LIBRARY_FILTER>): NonNullable<FindOptions['where']> => {
  const { state, since, until, streamConfigurationTemplateId, errorName, groupId, label } = filter;
  const where = {
    ...(state != null && { state }),
    ...(streamConfigurationTemplateId != null && { streamConfigurationTemplateId }),
    ...(errorName != null && { errorName }),
    ...(groupId != null && { groupId: groupId.toLowerCase() }),
    ...(label != null && label.length > 0 && { labelKeys: { all: label.map((one) => labelKey(one.trim())) } }),
    ...createdWithin(since == null ? null : timeOf(since, 'filter.since'), until == null ? null : timeOf(until, 'filter.until')),
  };
  if (Object.keys(where).length > 0) return { creatorId, ...where };
  throw new Problem(
    'GENERAL_VALIDATION_ERROR',
    `filter is empty. Name at least one of ${Object.keys(LIBRARY_FILTER.properties).join(', ')}.`,
  );
};

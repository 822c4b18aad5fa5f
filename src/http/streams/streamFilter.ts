import type { TemplateLibrary } from '../../commands/templateLibrary.ts';
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
  streamConfigurationTemplateId: id('Only streams that use this template, by its id or name.'),
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

export interface FilterDeps {
  readonly templates: Pick<TemplateLibrary, 'idOf'>;
}

type Condition = NonNullable<FindOptions['where']>;
type Given<State> = Omit<Shape<typeof LIBRARY_FILTER>, 'state' | 'label'> & { readonly state?: State | null };

/** A filter with its times in UTC and the id of its template. Absent members are `null`. */
export const readFilter = async <State extends string>({ templates }: FilterDeps, creatorId: string, given: Given<State>) => {
  const { state = null, since, until, streamConfigurationTemplateId: template, errorName = null, groupId } = given;
  return {
    state,
    since: since == null ? null : timeOf(since, 'filter.since'),
    until: until == null ? null : timeOf(until, 'filter.until'),
    streamConfigurationTemplateId: template == null ? null : await templates.idOf(creatorId, template),
    errorName,
    groupId: groupId?.toLowerCase() ?? null,
  };
};

/** Condition of a filter that has been read, on the read model of streams. Empty for an empty filter. */
export const conditionOf = ({ since, until, ...members }: Awaited<ReturnType<typeof readFilter>>): Condition => {
  const given = Object.entries(members).flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]));
  return { ...Object.fromEntries(given), ...createdWithin(since, until) };
};

/** 400: an empty filter would match everything. */
export const emptyFilter = (members: object): Problem =>
  new Problem('GENERAL_VALIDATION_ERROR', `filter is empty. Name at least one of ${Object.keys(members).join(', ')}.`);

/** Condition of a filter of the library. Throws 400 for an empty one. */
export const whereOf = async (deps: FilterDeps, creatorId: string, filter: Shape<typeof LIBRARY_FILTER>): Promise<Condition> => {
  const labelKeys = (filter.label ?? []).map((label) => labelKey(label.trim()));
  const where = {
    ...conditionOf(await readFilter(deps, creatorId, filter)),
    ...(labelKeys.length > 0 && { labelKeys: { all: labelKeys } }),
  };
  if (Object.keys(where).length === 0) throw emptyFilter(LIBRARY_FILTER.properties);
  return { creatorId, ...where };
};

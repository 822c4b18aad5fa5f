import type { Problem } from '../../domain/problem.ts';
import { SELECTION_PARAMETERS, type StreamSelection, selectionOf, type TagMatch, tagMatchOf } from '../export/parameters.ts';
import { flagValue, listValue, textValue } from '../input/queryValues.ts';
import { validationProblem } from '../input/schemas.ts';
import type { ApiRequest, QueryParameter } from '../server/route.ts';

export interface LiveParameters {
  readonly selection: StreamSelection;
  readonly match: TagMatch;
  /** Bytes instead of one JSON line per message. */
  readonly raw: boolean;
  readonly finalOnly: boolean;
  readonly omitPayload: boolean;
  readonly excludeNoPayload: boolean;
  /** By public topic name: the sequence to continue after. */
  readonly resume: ReadonlyMap<string, number>;
}

export const LIVE_PARAMETERS: Readonly<Record<string, QueryParameter>> = {
  ...SELECTION_PARAMETERS,
  streamIds: {
    schema: { type: 'string' },
    list: 'comma',
    isId: true,
    description: 'Same as `streams`. If both are given, they are combined.',
  },
  format: {
    schema: { title: 'LiveFormat', type: 'string', enum: ['NDJSON', 'EVENTS', 'RAW'], default: 'NDJSON' },
    description:
      'NDJSON (also called EVENTS): one JSON line per message. RAW: only the payloads; for sinks of bytes or text, the bytes themselves.',
  },
  acceptFrameType: {
    schema: { title: 'AcceptedFrameTypes', type: 'string', enum: ['partial-final', 'final'], default: 'partial-final' },
    description: 'Whether to include partial results.',
  },
  omitPayload: { schema: { type: 'boolean', default: false }, description: 'Returns null for every payload. Not with RAW.' },
  excludeNoPayload: { schema: { type: 'boolean', default: false }, description: 'Omits messages whose payload is null or empty.' },
  resume: {
    schema: { type: 'string' },
    list: 'repeat',
    description: '`sinkTopicName=messageId`: continues after this message of the sink. Repeat it for several sinks.',
  },
};

/** Reads the validated parameters and checks their combination. Throws 400 GENERAL_VALIDATION_ERROR. */
export const liveParameters = ({ query }: Pick<ApiRequest, 'query'>): LiveParameters => {
  const raw = textValue(query, 'format') === 'RAW';
  const omitPayload = flagValue(query, 'omitPayload');
  if (raw && omitPayload) throw refused('omitPayload', 'leaves nothing of the format RAW');
  const streams = [...new Set([...listValue(query, 'streams'), ...listValue(query, 'streamIds')])];
  return {
    selection: selectionOf({ ...query, streams }),
    match: tagMatchOf(query),
    raw,
    finalOnly: textValue(query, 'acceptFrameType') === 'final',
    omitPayload,
    excludeNoPayload: flagValue(query, 'excludeNoPayload'),
    resume: resumeOf(query.resume),
  };
};

const MESSAGE_ID = /^\d{1,15}$/;

const resumeOf = (given: unknown): ReadonlyMap<string, number> => {
  const resume = new Map<string, number>();
  for (const text of Array.isArray(given) ? given : []) {
    const equals = String(text).lastIndexOf('=');
    const topic = String(text).slice(0, Math.max(equals, 0));
    const messageId = String(text).slice(equals + 1);
    if (topic === '' || !MESSAGE_ID.test(messageId))
      throw refused('resume', 'must be sinkTopicName=messageId, with the values of a message you received');
    if (resume.has(topic)) throw refused('resume', 'names a sink twice');
    resume.set(topic, Number(messageId));
  }
  return resume;
};

export const refused = (field: string, message: string): Problem => validationProblem([{ field, message }], 'request');

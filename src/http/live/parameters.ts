import type { TagMatch } from '../../results/sinks.ts';
import { MAIN_SINKS, refused, SELECTION_PARAMETERS, type StreamSelection, selectionOf, tagMatchOf } from '../export/parameters.ts';
import type { ApiRequest, QueryParameters, QueryValues } from '../route/route.ts';

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

export const LIVE_PARAMETERS = {
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
} as const satisfies QueryParameters;

export type LiveRequest = ApiRequest<unknown, QueryValues<typeof LIVE_PARAMETERS>>;

/** Reads the validated parameters and checks their combination. Throws 400 GENERAL_VALIDATION_ERROR. */
export const liveParameters = ({ query }: Pick<LiveRequest, 'query'>): LiveParameters => {
  const { omitPayload, excludeNoPayload, streams = [], streamIds = [], resume = [] } = query;
  const raw = query.format === 'RAW';
  if (raw && omitPayload) throw refused('omitPayload', 'leaves nothing of the format RAW');
  return {
    selection: selectionOf({ ...query, streams: [...streams, ...streamIds] }),
    match: tagMatchOf(query) ?? MAIN_SINKS,
    raw,
    finalOnly: query.acceptFrameType === 'final',
    omitPayload,
    excludeNoPayload,
    resume: resumeOf(resume),
  };
};

const MESSAGE_ID = /^(\d{1,15}|-1)$/;

const resumeOf = (given: readonly string[]): ReadonlyMap<string, number> => {
  const resume = new Map<string, number>();
  for (const text of given) {
    const equals = text.lastIndexOf('=');
    const topic = text.slice(0, Math.max(equals, 0));
    const messageId = text.slice(equals + 1);
    if (topic === '' || !MESSAGE_ID.test(messageId))
      throw refused('resume', 'must be sinkTopicName=messageId, with the values of a message you received');
    if (resume.has(topic)) throw refused('resume', 'names a sink twice');
    resume.set(topic, Number(messageId));
  }
  return resume;
};

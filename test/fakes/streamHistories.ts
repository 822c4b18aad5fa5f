import type { StreamEvent } from '../../src/domain/stream/events.ts';
import { completed, failed, link, started, streamCreated, uploaded } from './streamStory.ts';

const CREATED = streamCreated([link('echo', null), link('second', 'echo')]);

const RERUN: StreamEvent = {
  type: 'RerunStarted',
  data: {
    attempt: 2,
    from: 'second',
    reason: 'Ms Brown asked',
    streamConfigurationTemplateId: '65f46430c6d8985974ff9c9d',
    processors: [
      {
        processorId: 'second',
        operationType: 'NO_OPERATION',
        sourceTopic: 'persistent://here/data-sources/echo',
        destinationTopic: 'persistent://here/data-sources/again',
        properties: { prompt: 'What did Ms Brown decide?' },
      },
    ],
    idempotency: null,
  },
};
const CANCELED: StreamEvent = { type: 'StreamCanceled', data: { reason: 'Canceled by user' } };
const RETAINED: StreamEvent = { type: 'RetentionSet', data: { until: null } };
const LABELED: StreamEvent = { type: 'StreamLabeled', data: { labels: ['Brown family'] } };
const RENAMED: StreamEvent = { type: 'StreamRenamed', data: { name: 'Ms Brown' } };
const AWAITED: StreamEvent = { type: 'EngineAwaited', data: { processorId: 'echo', attempt: 1, reason: 'no engine for Ms Brown' } };
const CHOSEN: StreamEvent = {
  type: 'EngineChosen',
  data: { processorId: 'echo', attempt: 1, engine: { name: 'whisper', model: 'ms-brown' } },
};
const STREAM_FAILED: StreamEvent = { type: 'StreamFailed', data: { reason: 'no speech' } };
const RETURNED: StreamEvent = { type: 'EngineReturned', data: { processorId: 'echo', attempt: 1 } };
const UPLOAD_FAILED: StreamEvent = { type: 'UploadFailed', data: { reason: 'The link did not answer.', cause: 'LINK_FAILED' } };
const STREAM_COMPLETED: StreamEvent = { type: 'StreamCompleted', data: {} };
const EXTENDED: StreamEvent = { type: 'RetentionExtended', data: { until: '2027-01-01T00:00:00.000Z' } };
const SHARED: StreamEvent = { type: 'OwnGroupShared', data: {} };
const EXPIRED: StreamEvent = { type: 'StreamExpired', data: { reason: 'retention' } };
const CREATED_ALONE = streamCreated([link('echo', null)], { ownGroup: true, fileName: 'ana.mp3' });
/** As the upcast of its version 1 returns it. */
const CREATED_LONG_AGO = streamCreated([link('echo', null)], { formerPropertiesSchemas: { echo: 'former.Name' } });

/** Histories of streams: every event is in one of them, and every optional member of the aggregate. */
export const STREAM_HISTORIES: Readonly<Record<string, StreamEvent[]>> = {
  'an open': [CREATED],
  'a completed': [
    CREATED,
    uploaded,
    started('echo'),
    completed('echo'),
    started('second'),
    completed('second'),
    RENAMED,
    LABELED,
    RETAINED,
  ],
  'a failed': [CREATED, uploaded, started('echo'), AWAITED, RETURNED, CHOSEN, failed('echo'), STREAM_FAILED],
  'a canceled': [CREATED, uploaded, started('echo'), CANCELED],
  'a rerun': [CREATED, uploaded, started('echo'), failed('echo'), STREAM_FAILED, RERUN, RENAMED],
  'a canceled and rerun': [CREATED, uploaded, started('echo'), completed('echo'), CANCELED, RERUN],
  'an interrupted': [CREATED, UPLOAD_FAILED, STREAM_FAILED],
  'a lone, kept and expired': [CREATED_ALONE, uploaded, started('echo'), completed('echo'), STREAM_COMPLETED, EXTENDED, SHARED, EXPIRED],
  'a former': [CREATED_LONG_AGO, uploaded],
};

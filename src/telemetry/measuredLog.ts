import type { Clock } from '../clock.ts';
import { isDeliveryEvent } from '../domain/delivery/events.ts';
import { isStreamEvent, type StreamEvent } from '../domain/stream/events.ts';
import { WrongExpectedRevision } from '../stores/eventStore.ts';
import type { EventLog, RecordedEvent } from '../stores/log/eventLog.ts';
import { observedLog } from '../stores/log/observedLog.ts';
import { type Metrics, SECONDS } from './metrics.ts';

const STATES: Partial<Record<StreamEvent['type'], string>> = {
  StreamCreated: 'READY',
  RerunStarted: 'READY',
  StreamCompleted: 'COMPLETED',
  StreamFailed: 'FAILED',
  StreamCanceled: 'FAILED',
  StreamExpired: 'EXPIRED',
};

/** Counts by event. Every change of state is an event, so most of a node's figures can be measured at the log's port. */
const eventMetrics = (metrics: Metrics) => ({
  events: metrics.counter({ name: 'events_appended', help: 'Events that this node appended, by type.', labels: ['type'] }),
  states: metrics.counter({ name: 'stream_transitions', help: 'Streams that came to a state through this node.', labels: ['state'] }),
  uploads: metrics.counter({ name: 'uploads', help: 'Uploads that ended on this node.', labels: ['outcome'] }),
  bytes: metrics.counter({ name: 'upload_bytes', help: 'Bytes of complete uploads.' }),
  attempts: metrics.counter({ name: 'delivery_attempts', help: 'Webhook attempts, as recorded.', labels: ['outcome'] }),
  attemptSeconds: metrics.histogram(
    {
      name: 'delivery_attempt_duration_seconds',
      help: 'A webhook attempt, from the look-up of the name to the end of the first 16 KiB of the answer.',
    },
    SECONDS,
  ),
});

const count = (counters: ReturnType<typeof eventMetrics>, events: readonly RecordedEvent[]): void => {
  for (const event of events) {
    counters.events.add([event.type]);
    if (isStreamEvent(event)) {
      const state = STATES[event.type];
      if (state) counters.states.add([state]);
      if (event.type === 'UploadFailed') counters.uploads.add(['failed']);
      if (event.type === 'UploadCompleted') {
        counters.uploads.add(['completed']);
        counters.bytes.add([], event.data.bytes);
      }
    } else if (isDeliveryEvent(event) && event.type === 'AttemptsRecorded') {
      for (const { outcome, milliseconds } of event.data.attempts) {
        counters.attempts.add([outcome]);
        counters.attemptSeconds.observe(milliseconds / 1_000);
      }
    }
  }
};

/** The log, with its appends counted and timed. */
export const measuredLog = (log: EventLog, metrics: Metrics, clock: Clock): EventLog => {
  const counters = eventMetrics(metrics);
  const seconds = metrics.histogram({ name: 'append_duration_seconds', help: 'From the call of an append to its answer.' }, SECONDS);
  const sizes = metrics.histogram({ name: 'append_batch_events', help: 'Events in one append.' }, [1, 2, 3, 5, 10, 25, 50, 100, 250, 500]);
  const failed = metrics.counter({ name: 'append_failures', help: 'Appends that were refused or failed.', labels: ['reason'] });
  return observedLog(log, async ({ events }, append) => {
    const began = clock.monotonic();
    try {
      const appended = await append();
      seconds.observe((clock.monotonic() - began) / 1_000);
      sizes.observe(events.length);
      count(counters, appended.events);
      return appended;
    } catch (error) {
      failed.add([error instanceof WrongExpectedRevision ? 'conflict' : 'error']);
      throw error;
    }
  });
};

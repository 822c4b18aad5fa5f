import type { Clock } from '../clock.ts';
import type { ErasureReport } from '../domain/audit/state.ts';
import { deliveryEventStream, isDeliveryEvent, type ScheduledDelivery } from '../domain/delivery/events.ts';
import { PendingDeliveries } from '../domain/delivery/state.ts';
import { notFound } from '../domain/problem.ts';
import { topicNamesOf } from '../domain/stream/attempts.ts';
import { topicId } from '../domain/stream/streamConfiguration.ts';
import { DamagedEventStream, type Position, type ReadAllOptions } from '../stores/eventStore.ts';
import type { Keys } from '../stores/keys/openKeys.ts';
import type { EventLog } from '../stores/log/eventLog.ts';
import { eventStreamPages, logPages } from '../stores/pages.ts';
import type { Topics } from '../stores/topics.ts';
import type { AuditTrail } from './auditTrail.ts';
import { cancelIfRunning } from './changeOwnStream.ts';
import { loadCredentials, revokeCredential } from './credentials.ts';
import { expireStream } from './expireStream.ts';
import { type AppendContext, forgetStates } from './handle.ts';
import { loadStream } from './loadStream.ts';
import type { Expiries } from './openStreams/expiries.ts';
import { revokeOfPerson, unlinkErased } from './people.ts';
import { deleteWebhookEndpoint, disableWebhookEndpoint, loadWebhookEndpoints } from './webhookEndpoints.ts';

/** A store outside the log with readable personal data. */
export interface PersonalPlace {
  /** Number of documents with personal data of the subject. */
  count(subject: string): Promise<number>;
  /** Resolves when no personal data of the subject is readable there, in memory or in a file; `position` is that of its `SubjectErased`. */
  erased(subject: string, position: Position): Promise<void>;
}

export interface EraseDeps {
  readonly log: EventLog;
  readonly keys: Pick<Keys, 'subjectKey' | 'isErased' | 'destroySubjectKey' | 'destroyEventStreamKey'>;
  readonly topics: Topics;
  readonly expiries: Expiries;
  readonly clock: Clock;
  readonly trail: AuditTrail;
  readonly personalPlaces: readonly PersonalPlace[];
  /** Ids of the people who work with the library of a subject. */
  linkedPeople(subject: string): Promise<readonly string[]>;
}

const REASON = 'Its owner was erased';
/** Time that a run or an upload may continue to write after its stream was canceled. */
const WRITERS_MILLISECONDS = 1_000;
const PAGE = 500;
/** Streams that are handled at the same time. Those that end together share commits. */
const TOGETHER = 32;
const SUBJECT = /^[A-Za-z0-9-]{1,64}$/;

/**
 * Erases a person. Revokes credentials and deletes webhook endpoints, destroys the key, which makes all personal members of the log unreadable, also
 * in backups, then ends the streams and clears the readable stores outside the log. People who are linked to the subject are erased with it; the
 * report counts them too. If interrupted, call it again: the second report counts only the rest. Rejects with a `Problem`: 404 for an unknown subject,
 * 503 if a store cannot be cleared now.
 */
export const eraseSubject = async (deps: EraseDeps, subject: string, context: AppendContext): Promise<ErasureReport> => {
  let report = await eraseOne(deps, subject, context);
  for (const personId of await deps.linkedPeople(subject)) report = sumOf(report, await eraseOne(deps, personId, context));
  return report;
};

const sumOf = (report: ErasureReport, other: ErasureReport): ErasureReport => ({
  subject: report.subject,
  streamsCanceled: report.streamsCanceled + other.streamsCanceled,
  deliveriesDropped: report.deliveriesDropped + other.deliveriesDropped,
  credentialsRevoked: report.credentialsRevoked + other.credentialsRevoked,
  keysDestroyed: report.keysDestroyed + other.keysDestroyed,
  documentsDestroyed: report.documentsDestroyed + other.documentsDestroyed,
  topicsDestroyed: report.topicsDestroyed + other.topicsDestroyed,
});

const eraseOne = async (deps: EraseDeps, subject: string, context: AppendContext): Promise<ErasureReport> => {
  const { log, keys, trail, personalPlaces } = deps;
  const known = SUBJECT.test(subject) && ((await keys.subjectKey(subject, { create: false })) !== null || (await keys.isErased(subject)));
  if (!known) throw notFound('subject');
  const credentialsRevoked = await revokeAll(deps, subject, context);
  const deliveriesDropped = await dropDeliveries(deps, subject, context);
  const documents = await Promise.all(personalPlaces.map((place) => place.count(subject)));
  const keysDestroyed = (await keys.destroySubjectKey(subject)) ? 1 : 0;
  forgetStates(log);
  const position = await trail.record({ type: 'SubjectErased', data: { subject } }, context);
  const { canceled, topics } = await endStreams(deps, subject, context);
  // In this order: the last one rewrites the files.
  for (const place of personalPlaces) await place.erased(subject, position);
  await unlinkErased(deps, subject, context);
  forgetStates(log);
  return {
    subject,
    streamsCanceled: canceled,
    deliveriesDropped,
    credentialsRevoked,
    keysDestroyed,
    documentsDestroyed: documents.reduce((sum, count) => sum + count, 0),
    topicsDestroyed: topics,
  };
};

const revokeAll = async ({ log }: EraseDeps, subject: string, context: AppendContext): Promise<number> => {
  const valid = (await loadCredentials(log, subject)).filter(({ revokedTimestamp }) => revokedTimestamp === null);
  for (const { credentialId } of valid) await revokeCredential({ log }, { subject, credentialId, reason: REASON }, context);
  const elsewhere = await revokeOfPerson({ log }, subject, REASON, context);
  return valid.length + elsewhere;
};

/** Deletes endpoints, which ends their deliveries. Returns their number, without those of an earlier erasure. */
const dropDeliveries = async ({ log }: EraseDeps, subject: string, context: AppendContext): Promise<number> => {
  const owner = { ...context, subject };
  const { endpoints, disabledDynamic } = await loadWebhookEndpoints(log, subject);
  const standard = new Set(endpoints.map(({ endpointId }) => endpointId));
  for (const endpointId of standard) await deleteWebhookEndpoint({ log }, { endpointId, ifMatch: null }, owner);
  const pending = await pendingDeliveries(log, subject);
  const dynamic = pending.filter(({ endpointId, dynamicStreamId }) => dynamicStreamId !== null && !disabledDynamic.has(endpointId));
  for (const endpointId of new Set(dynamic.map((delivery) => delivery.endpointId))) await stopDynamic({ log }, endpointId, owner);
  return dynamic.length + pending.filter(({ endpointId }) => standard.has(endpointId)).length;
};

const pendingDeliveries = async (log: EventLog, subject: string): Promise<ScheduledDelivery[]> => {
  const facts = new PendingDeliveries(null);
  for await (const events of eventStreamPages(log, deliveryEventStream(subject), PAGE))
    for (const event of events) if (isDeliveryEvent(event)) facts.evolve(event, event.revision, event.metadata.time);
  return [...facts.pending.values()].map(({ delivery }) => delivery);
};

const stopDynamic = (deps: Pick<EraseDeps, 'log'>, endpointId: string, owner: AppendContext) =>
  disableWebhookEndpoint(deps, { endpointId, reason: REASON, dynamic: true }, owner);

/** A stream's dynamic webhooks are not sent its cancellation and expiry. */
const silence = async ({ log }: EraseDeps, streamId: string, owner: AppendContext): Promise<void> => {
  const loaded = await loadStream(log, streamId);
  if (!loaded) return;
  const { state, configuration } = loaded.stream;
  if (state !== 'EXPIRED') for (const { id } of configuration.dynamicWebhookEndpoints) await stopDynamic({ log }, id, owner);
};

/**
 * Cancels running streams and deletes the bytes of all. Then repeats it for bytes written while their stream was canceled, and for streams of
 * uploads accepted just before the key was destroyed.
 */
const endStreams = async (deps: EraseDeps, subject: string, context: AppendContext): Promise<{ canceled: number; topics: number }> => {
  const before = await deps.log.head();
  const first = await endAll(deps, streamsOf(deps.log, subject, null), { ...context, subject });
  await deps.clock.pause(WRITERS_MILLISECONDS);
  for (const streamId of first.canceled) await deleteTopics(deps, streamId);
  const second = await endAll(deps, streamsOf(deps.log, subject, before), { ...context, subject });
  return { canceled: first.canceled.length + second.canceled.length, topics: first.topics + second.topics };
};

/** Runs a step for each stream, some at a time. After a failure it waits for those that have begun: a repeated request does not race them. */
const forEachStream = async (streams: readonly string[], step: (streamId: string) => Promise<void>): Promise<void> => {
  for (let n = 0; n < streams.length; n += TOGETHER) {
    const steps = streams.slice(n, n + TOGETHER).map(step);
    await Promise.allSettled(steps);
    await Promise.all(steps);
  }
};

const endAll = async (
  deps: EraseDeps,
  streams: AsyncIterable<string>,
  owner: AppendContext,
): Promise<{ canceled: string[]; topics: number }> => {
  let topics = 0;
  const canceled: string[] = [];
  const end = async (streamId: string): Promise<void> => {
    if ((await cancelIfRunning(deps, streamId, owner)) !== null) canceled.push(streamId);
    const deleted = await deleteTopics(deps, streamId);
    topics += deleted;
    await expireStream(deps, { streamId, reason: REASON }, owner);
    await deps.expiries.remove(streamId);
  };
  // A damaged event stream fails the erasure only when all other streams have ended.
  let damage: DamagedEventStream | null = null;
  const unlessDamaged = (step: (streamId: string) => Promise<void>) => (streamId: string) =>
    step(streamId).catch((error: unknown) => {
      if (!(error instanceof DamagedEventStream)) throw error;
      damage ??= error;
    });
  const all: string[] = [];
  for await (const streamId of streams) all.push(streamId);
  // All are silent before the first ends, because its end may be reported to webhooks of its group.
  await forEachStream(
    all,
    unlessDamaged((streamId) => silence(deps, streamId, owner)),
  );
  await forEachStream(all, unlessDamaged(end));
  if (damage) throw damage;
  return { canceled, topics };
};

async function* streamsOf(log: EventLog, subject: string, behind: Position | null): AsyncGenerator<string, void, undefined> {
  const reader = { readAll: (options: ReadAllOptions) => log.readStored(options) };
  const where = { subject, category: 'stream', types: ['StreamCreated'] };
  for await (const page of logPages(reader, { after: behind, limit: PAGE, where }))
    for (const { eventStream } of page) yield eventStream.slice('stream-'.length);
}

/** Deletes all topics of a stream. Returns the number of topics that were there. */
const deleteTopics = async ({ log, topics }: EraseDeps, streamId: string): Promise<number> => {
  const loaded = await loadStream(log, streamId);
  if (!loaded) return 0;
  const names = new Set(topicNamesOf(loaded).map(topicId));
  let there = 0;
  for (const name of names) {
    if ((await topics.size(name)) !== null) there += 1;
    await topics.delete(name);
  }
  return there;
};

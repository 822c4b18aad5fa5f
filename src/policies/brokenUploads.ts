import type { Clock } from '../clock.ts';
import { loadStream } from '../commands/loadStream.ts';
import { measureRuns } from '../commands/measureRuns.ts';
import { leftRunning } from '../commands/openStreams/leftRunning.ts';
import { heldFor, type RunningStream, type RunningStreams } from '../commands/openStreams/openStreams.ts';
import { attemptIs } from '../commands/openStreams/places.ts';
import type { ResumableUploads } from '../commands/resumableUploads.ts';
import { correlationOf } from '../commands/streamCorrelation.ts';
import { failUpload } from '../commands/upload.ts';
import { Problem } from '../domain/problem.ts';
import type { UsedByRuns } from '../domain/stream/decisions.ts';
import { type StreamEvent, streamIdOf } from '../domain/stream/events.ts';
import { topicId } from '../domain/stream/streamConfiguration.ts';
import type { Logger } from '../logger.ts';
import type { Documents } from '../stores/documents.ts';
import { DamagedEventStream } from '../stores/eventStore.ts';
import { unlessDamaged } from '../stores/integrity/damage.ts';
import type { Leases } from '../stores/leases/leases.ts';
import type { Nodes } from '../stores/leases/nodes.ts';
import type { EventLog } from '../stores/log/eventLog.ts';
import type { Topics } from '../stores/topics.ts';
import { type Holding, underLease } from '../supervision/underLease.ts';

export interface BrokenUploadsDeps {
  readonly log: EventLog;
  readonly documents: Documents;
  readonly runningStreams: RunningStreams;
}

export interface GoneNodesDeps extends BrokenUploadsDeps {
  readonly nodes: Nodes;
  readonly resumableUploads: Pick<ResumableUploads, 'get'>;
  readonly leases: Leases;
  readonly topics: Topics;
  readonly clock: Clock;
  readonly logger: Logger;
}

const LOOK_MILLISECONDS = 5_000;

const REASON = 'The node that took the upload stopped';
const UPLOAD_TYPES = ['StreamCreated', 'UploadCompleted', 'UploadFailed', 'StreamCanceled'] satisfies StreamEvent['type'][];
const FAILED_TOGETHER = 32;

/**
 * Fails every upload that is open in the log: for the start of the embedded form, when no other process can be receiving one. Every running stream has
 * a document, or was created after the checkpoint of the policy of open streams, so little of the log is read. Resolves with how many were open. Rejects when a
 * store is away.
 */
export const failBrokenUploads = async (deps: BrokenUploadsDeps): Promise<number> => {
  const candidates = await running(deps);
  let failed = 0;
  for (let n = 0; n < candidates.length; n += FAILED_TOGETHER) {
    const given = await Promise.all(candidates.slice(n, n + FAILED_TOGETHER).map((streamId) => giveUp(deps, streamId)));
    failed += given.filter(Boolean).length;
  }
  return failed;
};

const running = async ({ log, ...deps }: BrokenUploadsDeps): Promise<string[]> => {
  const { streamIds, after } = await leftRunning(deps);
  const streams = new Set(streamIds);
  const reading = new AbortController();
  for await (const item of log.subscribe({ after, filter: { types: UPLOAD_TYPES }, signal: reading.signal })) {
    if (item.kind === 'caughtUp') break;
    const streamId = streamIdOf(item.event.eventStream);
    if (item.event.type === 'StreamCreated') streams.add(streamId);
    else streams.delete(streamId);
  }
  reading.abort();
  return [...streams];
};

/**
 * The same for nodes that share their stores: fails the uploads that a node was receiving when it died or was taken for dead. The log decides against
 * an upload that is completed late. Runs on one node at a time until the signal aborts. Never rejects.
 */
export const runGoneNodesPolicy = async (deps: GoneNodesDeps, signal: AbortSignal): Promise<void> => {
  const { leases, clock, logger } = deps;
  const onFailure = (error: unknown) => logger.warn({ err: error }, 'checking for dead nodes failed; retrying');
  await underLease((holding) => watchNodes(deps, holding), { leases, name: 'policy/goneNodes', clock, signal, onFailure });
};

const watchNodes = async (deps: GoneNodesDeps, { signal, progressed }: Holding): Promise<void> => {
  while (!signal.aborted) {
    for (const { id } of await deps.nodes.gone()) await removeNode(deps, id, signal);
    progressed();
    await deps.clock.pause(LOOK_MILLISECONDS, signal);
  }
};

const removeNode = async (deps: GoneNodesDeps, id: string, signal: AbortSignal): Promise<void> => {
  let streams = 0;
  const failUploads = async (held: AbortSignal): Promise<void> => {
    for (const stream of await deps.runningStreams.takenBy(id)) {
      held.throwIfAborted();
      signal.throwIfAborted();
      await unlessDamaged(release(deps, stream), undefined);
      streams += 1;
    }
  };
  if (await deps.nodes.remove(id, failUploads)) deps.logger.info({ node: id, streams }, 'removed a dead node and failed its open uploads');
};

/** The node may have died before the upload was complete, or between a place and the stream or the rerun that it was reserved for. */
const release = async (deps: GoneNodesDeps, { owner, holder }: RunningStream): Promise<void> => {
  const { streamId } = heldFor(holder);
  await giveUpWithBytes(deps, streamId);
  // Another node continues a resumable upload.
  if (await deps.resumableUploads.get(holder)) return;
  if (attemptIs(await loadStream(deps.log, streamId), holder) === 'awaited') await deps.runningStreams.release(owner, holder);
};

const giveUpWithBytes = async (deps: GoneNodesDeps, streamId: string): Promise<void> => {
  const stream = await loadStream(deps.log, streamId);
  if (stream?.upload.state !== 'open') return;
  const used = await measureRuns(deps, streamId);
  if (await giveUp(deps, streamId, used)) await deps.topics.delete(topicId(stream.stream.configuration.dataSource.topic));
};

const giveUp = async ({ log }: Pick<BrokenUploadsDeps, 'log'>, streamId: string, used?: UsedByRuns): Promise<boolean> => {
  try {
    const correlationId = await correlationOf(log, streamId);
    const context = { subject: '', actor: 'policy:brokenUploads', correlationId, causationId: streamId };
    const { position } = await failUpload({ log }, { streamId, reason: REASON, ...(used && { used }) }, context);
    return position !== null;
  } catch (error) {
    // A place whose stream was never created.
    if (error instanceof Problem && error.statusCode === 404) return false;
    // The log has reported it. The start and other uploads do not wait for its repair.
    if (error instanceof DamagedEventStream) return false;
    throw error;
  }
};

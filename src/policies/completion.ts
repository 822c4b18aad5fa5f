import { loadStream } from '../commands/loadStream.ts';
import { attemptIs } from '../commands/slots/endedSlots.ts';
import { ATTEMPT_ENDS, holderOf } from '../commands/slots/freedAtEnd.ts';
import { heldFor, type Slot, type Slots } from '../commands/slots/slots.ts';
import { isStreamEvent, type StreamEvent } from '../domain/stream/events.ts';
import type { Consumer, ConsumerDeps } from '../stores/consumers/consumer.ts';
import { runConsumer } from '../stores/consumers/runConsumer.ts';
import { unlessDamaged } from '../stores/integrity/damage.ts';
import type { RecordedEvent } from '../stores/log/eventLog.ts';

export interface CompletionDeps extends ConsumerDeps {
  readonly slots: Slots;
}

export const COMPLETION = 'completion';

const TYPES = ['StreamCreated', 'RerunStarted', ...ATTEMPT_ENDS] satisfies StreamEvent['type'][];
/** A slot is taken before its stream is created: a younger one may still be waiting. */
const ARRIVAL_MILLISECONDS = 60_000;
const SWEEP_MILLISECONDS = 600_000;
const LOADED_TOGETHER = 32;

/**
 * Keeps the users' slots: an ended stream frees its slot, a running one has one. All streams that run at the policy's checkpoint have slots, so
 * lost documents are restored by reading the log again from the checkpoint. Runs until the signal aborts.
 */
export const runCompletionPolicy = async (deps: CompletionDeps, signal: AbortSignal): Promise<void> => {
  const consumer: Consumer = {
    name: COMPLETION,
    types: TYPES,
    handle: (events) => keepSlots(deps, events),
    settle: () => deps.slots.store(),
  };
  await Promise.all([runConsumer(deps, consumer, signal), sweepSlots(deps, signal)]);
};

interface Changes {
  readonly running: Set<string>;
  readonly ended: Set<string>;
}

const keepSlots = async ({ log, slots }: CompletionDeps, events: readonly RecordedEvent[]): Promise<void> => {
  const owners = new Map<string, Changes>();
  for (const event of events) {
    if (!isStreamEvent(event)) continue;
    const { subject } = event.metadata;
    const changes = owners.get(subject) ?? { running: new Set(), ended: new Set() };
    owners.set(subject, changes);
    const runs = event.type === 'StreamCreated' || event.type === 'RerunStarted';
    const holder = holderOf(event.eventStream, event);
    changes[runs ? 'running' : 'ended'].add(holder);
    if (!runs) changes.running.delete(holder);
  }
  // On a repeated read it may have ended since: a slot would block its user until its end is read again too.
  const stillRuns = async (holder: string) => attemptIs(await loadStream(log, heldFor(holder).streamId), holder) === 'running';
  await Promise.all(
    [...owners].map(([subject, { ended, running }]) => slots.keep(subject, { ended: [...ended], running: [...running], stillRuns })),
  );
};

/**
 * Frees slots whose stream has ended, and those whose stream was not created in time: now, after a minute, and then every ten minutes. A command whose answer
 * was lost may leave one.
 */
const sweepSlots = async (deps: CompletionDeps, signal: AbortSignal): Promise<void> => {
  let standing: ReadonlySet<string> | null = null;
  for (let pause = ARRIVAL_MILLISECONDS; !signal.aborted; await deps.clock.pause(pause, signal)) {
    try {
      const all = await deps.slots.list();
      await sweep(deps, all, standing);
      if (standing) pause = SWEEP_MILLISECONDS;
      standing = new Set(all.map(nameOf));
    } catch (error) {
      if (!signal.aborted) deps.logger.warn({ err: error }, 'sweeping the slots of ended streams failed; repeating later');
    }
  }
};

const nameOf = ({ subject, holder }: Slot): string => `${subject}/${holder}`;

/** The first sweep judges all slots, each further one those that `standing` names: they are old enough to have their streams. */
const sweep = async ({ log, slots }: CompletionDeps, all: readonly Slot[], standing: ReadonlySet<string> | null): Promise<void> => {
  const judged = standing ? all.filter((slot) => standing.has(nameOf(slot))) : all;
  for (let n = 0; n < judged.length; n += LOADED_TOGETHER) {
    const judge = async (slot: Slot): Promise<void> => {
      const loaded = await unlessDamaged(loadStream(log, heldFor(slot.holder).streamId), 'damaged');
      if (loaded === 'damaged') return;
      const state = attemptIs(loaded, slot.holder);
      if (state === 'ended' || (state === 'awaited' && standing)) await slots.free(slot.subject, slot.holder);
    };
    await Promise.all(judged.slice(n, n + LOADED_TOGETHER).map(judge));
  }
};

import type { Clock } from '../clock.ts';
import type { SealsEvent } from '../domain/audit/events.ts';
import type { Logger } from '../logger.ts';
import type { EventStore, Position, SubscriptionItem } from '../stores/eventStore.ts';
import { sealFault } from '../stores/integrity/sealEvidence.ts';
import { isSealed, NEWEST_SEAL, SEALS, SealedRange, signSeal } from '../stores/integrity/seals.ts';
import type { Keys } from '../stores/keys/openKeys.ts';
import type { Leases } from '../stores/leases/leases.ts';
import type { EventLog, StreamHead } from '../stores/log/eventLog.ts';
import { findBackwards } from '../stores/pages.ts';
import { OVER } from '../supervision/aborted.ts';
import type { Progressed } from '../supervision/retrying.ts';
import { type Holding, underLease } from '../supervision/underLease.ts';

export interface SealingDeps {
  readonly store: EventStore;
  readonly log: EventLog;
  readonly keys: Pick<Keys, 'signingKey' | 'acceptedKeys' | 'note' | 'setNote'>;
  readonly leases: Leases;
  readonly clock: Clock;
  readonly logger: Logger;
  /** `SEAL_EVENTS`. */
  readonly events: number;
  /** `SEAL_INTERVAL_S`. */
  readonly seconds: number;
}

/** A seal is one event, and an append takes 1 MiB. */
const MAX_SEAL_BYTES = 700_000;

/**
 * Seals the log after `events` events, or `seconds` after the first event without a seal. The range of a seal follows from the log alone, so a
 * restart or another node continues at the last seal. Runs until the signal aborts, on one node at a time. Never rejects.
 */
export const runSealingPolicy = async (deps: SealingDeps, signal: AbortSignal): Promise<void> => {
  const { leases, clock, logger } = deps;
  // Another holder sealed, or a store is away: start again at the last seal.
  const onFailure = (error: unknown) => logger.warn({ err: error }, 'sealing the log failed; retrying');
  await underLease((holding) => new Sealing(deps).run(holding), { leases, name: 'policy/sealing', clock, signal, onFailure });
};

class Sealing {
  readonly #deps: SealingDeps;
  #head: StreamHead = { revision: 'no stream', hash: null };
  /** Everything up to here is sealed or in the range. */
  #after: Position | null = null;
  #range = new SealedRange();
  /** Time of the first event in the range. */
  #since: number | null = null;

  constructor(deps: SealingDeps) {
    this.#deps = deps;
  }

  async run({ signal, progressed }: Holding): Promise<void> {
    await this.#resume();
    while (!signal.aborted) {
      await this.#follow(signal, progressed);
      if (!signal.aborted && this.#due()) await this.#seal();
    }
  }

  /** Takes events into the range, sealing it whenever it is full, until it is due or the signal aborts. At rest nothing is polled: the next event wakes it. */
  async #follow(signal: AbortSignal, progressed: Progressed): Promise<void> {
    const over = new AbortController();
    let waiting = false;
    const reading = AbortSignal.any([signal, over.signal]);
    try {
      for await (const item of this.#deps.store.subscribe({ after: this.#after, signal: reading })) {
        progressed();
        await this.#take(item);
        // Events that are already there go into one seal.
        if (item.kind === 'event') continue;
        if (this.#due()) return;
        if (this.#since === null || waiting) continue;
        waiting = true;
        void this.#untilDue(reading).then(() => over.abort(OVER));
      }
    } finally {
      over.abort(OVER);
    }
  }

  async #take(item: SubscriptionItem): Promise<void> {
    this.#after = item.kind === 'event' ? item.event.position : (item.position ?? this.#after);
    if (item.kind !== 'event' || !isSealed(item.event.eventStream)) return;
    const { event } = item;
    this.#since ??= Date.parse(String(event.metadata.time));
    const { hash } = event.metadata;
    this.#range.add({ ...event, hash: typeof hash === 'string' ? hash : null });
    if (this.#full()) await this.#seal();
  }

  /** A seal that was made meanwhile starts the time again. */
  async #untilDue(reading: AbortSignal): Promise<void> {
    const { clock, seconds } = this.#deps;
    while (!this.#due() && !reading.aborted) {
      const since = this.#since ?? clock.now();
      await clock.pause(Math.max(1, since + seconds * 1_000 - clock.now()), reading);
    }
  }

  /** Starts after the last seal. Throws if the log lacks sealed events: the evidence must not be overwritten. */
  async #resume(): Promise<void> {
    const { store, keys } = this.#deps;
    const fault = await sealFault({ store, keys });
    if (fault !== null) throw new Error(`${fault}. The log is not sealed any more. Run tributary audit verify for details`);
    const [last] = await store.readStream(SEALS, { direction: 'backwards', limit: 1 });
    const noted = await keys.note(NEWEST_SEAL);
    const notedRevision = typeof noted?.revision === 'string' ? BigInt(noted.revision) : -1n;
    if (notedRevision > (last?.revision ?? -1n))
      throw new Error(`the log has lost its end: the vault remembers the seal ${notedRevision}. Run tributary audit verify for details`);
    if (!last) return;
    this.#head = { revision: last.revision, hash: String(last.metadata.hash) };
    this.#after = await this.#positionOf(String(last.data.lastEventId), last.position);
    if (notedRevision < last.revision) await keys.setNote(NEWEST_SEAL, { revision: String(last.revision), seal: last.data });
  }

  /** A seal is shortly after the last event that it covers. */
  async #positionOf(id: string, before: Position): Promise<Position> {
    const found = await findBackwards(this.#deps.store, before, (event) => event.id === id);
    if (found) return found.position;
    throw new Error(`the last sealed event, ${id}, is missing from the log. Run tributary audit verify for details`);
  }

  #full(): boolean {
    return this.#range.count >= this.#deps.events || this.#range.size >= MAX_SEAL_BYTES;
  }

  #due(): boolean {
    return this.#since !== null && this.#deps.clock.now() - this.#since >= this.#deps.seconds * 1_000;
  }

  async #seal(): Promise<void> {
    const { keys, log } = this.#deps;
    const seal = signSeal(this.#range.seal(), await keys.signingKey('seal'));
    const event: SealsEvent = { type: 'LogSealed', data: { ...seal, heads: { ...seal.heads } } };
    const { lastEventId } = seal;
    const by = { subject: '', actor: 'policy:sealing', correlationId: lastEventId, causationId: lastEventId };
    const { head, revision } = await log.append(SEALS, this.#head, [event], by);
    this.#head = head;
    this.#range = new SealedRange();
    this.#since = null;
    // A delayed append must not replace a newer note with its own.
    const noted = await keys.note(NEWEST_SEAL);
    if (typeof noted?.revision === 'string' && BigInt(noted.revision) > revision) return;
    await keys.setNote(NEWEST_SEAL, { revision: String(revision), seal: { ...event.data } });
  }
}

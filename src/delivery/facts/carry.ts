import { isoTime } from '../../clock.ts';
import type { DeliveryEvent, RecoveredDelivery } from '../../domain/delivery/events.ts';
import type { Position } from '../../stores/eventStore.ts';
import { type FactDeps, FactWriter } from './factWriter.ts';

/** A delivery that was pending when its log was moved. Its source keeps event stream and revision; its position is looked up in the new store. */
export interface CarriedDelivery {
  readonly renderer: number;
  /** One attempt, whatever its result. */
  readonly once: boolean;
  readonly delivery: RecoveredDelivery;
}

/** One user's deliveries, as a move carries them to the new store. */
export interface CarriedUser {
  readonly subject: string;
  /** Position, in the new store, of the last event that was scheduled; empty if there was none. */
  readonly lastSourcePosition: string;
  readonly sequences: Record<string, number>;
  readonly failing: Record<string, string>;
  readonly pending: readonly CarriedDelivery[];
}

/** The event that completed the move. */
export interface Move {
  readonly id: string;
  readonly position: Position;
  /** How long pending deliveries are tried. */
  readonly windowMilliseconds: number;
}

const TOGETHER = 400;

/**
 * Begins a user's facts in the store that a log was moved to: sequences continue, and pending deliveries are scheduled again. Repeating it does
 * nothing. The caller must be the only writer of the user's facts. Resolves when the facts are durable.
 */
export const carryUser = async (deps: FactDeps, user: CarriedUser, move: Move, signal: AbortSignal): Promise<void> => {
  // Nothing is sent here: the deliverer of the new store finds the pending deliveries in the facts.
  const onDue = () => {};
  const writer = await FactWriter.open(deps, { subject: user.subject, checkpoint: null }, onDue, signal);
  const { sequences, failing, lastSourcePosition } = user;
  await writer.decide((state) => {
    if (state.lastRequestPosition >= move.position) return [];
    const batches = batchesOf(user.pending);
    const facts = batches.map((batch, n) => reschedule(batch, { ...move, now: deps.clock.now(), last: n === batches.length - 1 }));
    // Requests from before the move have been answered, or their callers have gone.
    const carried = { lastSourcePosition, lastRequestPosition: move.position, sequences, failing };
    return [{ type: 'DeliveryCarried', data: carried }, ...facts];
  });
  signal.throwIfAborted();
};

const batchesOf = (pending: readonly CarriedDelivery[]): CarriedDelivery[][] => {
  const alike = new Map<string, CarriedDelivery[]>();
  for (const one of pending) {
    const key = `${one.renderer} ${one.once}`;
    const batch = alike.get(key) ?? [];
    batch.push(one);
    alike.set(key, batch);
  }
  return [...alike.values()].flatMap((batch) =>
    Array.from({ length: Math.ceil(batch.length / TOGETHER) }, (_, n) => batch.slice(n * TOGETHER, (n + 1) * TOGETHER)),
  );
};

const reschedule = (batch: readonly CarriedDelivery[], move: Move & { readonly now: number; readonly last: boolean }): DeliveryEvent => ({
  type: 'DeliveriesRecovered',
  data: {
    requestEventId: move.id,
    requestPosition: move.position,
    renderer: batch[0]?.renderer ?? 1,
    deadline: isoTime(move.now + move.windowMilliseconds),
    once: batch[0]?.once ?? false,
    deliveries: batch.map(({ delivery }) => delivery),
    scheduled: batch.length,
    last: move.last,
    refused: null,
  },
});

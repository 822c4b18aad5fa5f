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

/** Pending deliveries of one append, which may have 1 MiB. A URL may have 2,048 characters, and more when encrypted. */
const TOGETHER = 200;
/** Endpoints that one `DeliveryCarried` names: a user may have many with dynamic webhooks, and an append may have 1 MiB. */
const ENDPOINTS_TOGETHER = 2_500;

/** Sequences and failures of a user's endpoints, from the facts. */
interface Carried {
  readonly sequences: ReadonlyMap<string, number>;
  readonly failing: ReadonlyMap<string, string>;
}

/** Slices of the endpoints of a user, at least one, which may be empty. Each is for one append. */
const slicesOf = ({ sequences, failing }: Carried): string[][] => {
  const endpointIds = [...new Set([...sequences.keys(), ...failing.keys()])];
  const count = Math.max(1, Math.ceil(endpointIds.length / ENDPOINTS_TOGETHER));
  return Array.from({ length: count }, (_, n) => endpointIds.slice(n * ENDPOINTS_TOGETHER, (n + 1) * ENDPOINTS_TOGETHER));
};

/** The entries of these endpoints. */
const sliced = <T>(all: ReadonlyMap<string, T>, endpointIds: readonly string[]): Record<string, T> =>
  Object.fromEntries(
    endpointIds.flatMap((endpointId) => {
      const value = all.get(endpointId);
      return value === undefined ? [] : [[endpointId, value]];
    }),
  );

/** Repeats what still matters in a user's facts, before they expire. Resolves when it is durable. */
export const carryFacts = async (writer: Pick<FactWriter, 'state' | 'decide'>): Promise<void> => {
  for (const endpointIds of slicesOf(writer.state))
    await writer.decide(({ lastSourcePosition, lastRequestPosition, sequences, failing }) => [
      {
        type: 'DeliveryCarried',
        data: { lastSourcePosition, lastRequestPosition, sequences: sliced(sequences, endpointIds), failing: sliced(failing, endpointIds) },
      },
    ]);
};

/**
 * Begins a user's facts in the store that a log was moved to: sequences continue, and pending deliveries are scheduled again. Repeating it does
 * nothing. The caller must be the only writer of the user's facts. Resolves when the facts are durable. Rejects if the log cannot take one of them.
 */
export const carryUser = async (deps: FactDeps, user: CarriedUser, move: Move, signal: AbortSignal): Promise<void> => {
  // Nothing is sent here: the deliverer of the new store finds the pending deliveries in the facts.
  const onDue = () => {};
  const writer = await FactWriter.open(deps, { subject: user.subject, checkpoint: null }, onDue, signal);
  const { lastSourcePosition } = user;
  const [sequences, failing] = [new Map(Object.entries(user.sequences)), new Map(Object.entries(user.failing))];
  const batches = batchesOf(user.pending);
  // Each is an append of its own. The last one says that the user is carried: before it, repeating all of them changes nothing.
  const facts: (() => DeliveryEvent)[] = [
    ...slicesOf({ sequences, failing }).map((endpointIds, n, slices) => (): DeliveryEvent => {
      const isLast = batches.length === 0 && n === slices.length - 1;
      // Requests from before the move have been answered, or their callers have gone.
      const lastRequestPosition = isLast ? move.position : '';
      const data = { sequences: sliced(sequences, endpointIds), failing: sliced(failing, endpointIds) };
      return { type: 'DeliveryCarried', data: { lastSourcePosition, lastRequestPosition, ...data } };
    }),
    ...batches.map((batch, n) => () => reschedule(batch, { ...move, now: deps.clock.now(), last: n === batches.length - 1 })),
  ];
  for (const fact of facts) {
    const written = await writer.decide((state) => (state.lastRequestPosition >= move.position ? [] : [fact()]));
    if (written === 'dropped')
      throw new Error(`User ${user.subject} has deliveries that are too large for one append, so they were not moved.`);
  }
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

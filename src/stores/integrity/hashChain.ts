import type { StoredEvent } from '../eventStore.ts';
import { type ChainLink, linkOf } from './chainLink.ts';
import { mayExpire } from './seals.ts';

/** The first broken place of a chain, and the reason. */
export interface BrokenLink {
  readonly eventStream: string;
  readonly revision: bigint;
  readonly position: string;
  readonly reason: string;
}

/** Events checked in one turn of the event loop when a `pause` is given, and milliseconds after which fewer are enough. */
export const EVENTS_AT_A_TIME = 25;
const MILLISECONDS_AT_A_TIME = 3;

/**
 * Checks events in the order of the log, of one event stream or of several mixed. Keeps the last revision and hash of each. A chain whose first events
 * may have expired may begin at any event.
 */
export class ChainChecker {
  readonly #ends = new Map<string, { revision: bigint; hash: string | null }>();

  /** `null` if the event is in the right place and unchanged. */
  check(event: ChainLink): BrokenLink | null {
    const reason = this.#placeProblem(event) ?? event.problem;
    // Continues from the stored hash, so that one edit is reported once.
    this.#ends.set(event.eventStream, { revision: event.revision, hash: event.hash });
    return reason === null ? null : broken(event, reason);
  }

  /** Event streams seen, and the revision of each one's last event. */
  heads(): ReadonlyMap<string, bigint> {
    return new Map([...this.#ends].map(([eventStream, { revision }]) => [eventStream, revision]));
  }

  #placeProblem({ eventStream, revision, hash, previousHash }: ChainLink): string | null {
    const end = this.#ends.get(eventStream);
    if (!end) {
      if (mayExpire(eventStream)) return null;
      if (revision !== 0n) return `the event stream must begin at revision 0, but ${revision} events are missing before this one`;
      return previousHash === null ? null : 'the first event refers to an earlier event';
    }
    const due = end.revision + 1n;
    if (revision !== due) return revision > due ? `revision ${due} is missing` : `revision ${revision} occurs twice`;
    // A missing hash is the reason itself.
    return hash === null || previousHash === end.hash ? null : 'its previousHash does not match the event before it';
  }
}

const broken = ({ eventStream, revision, position }: ChainLink, reason: string): BrokenLink => ({
  eventStream,
  revision,
  position,
  reason,
});

/** Checks the chains of all events given, in the order of the log; stops at the first broken link. */
export const verifyChain = async (
  events: Iterable<StoredEvent> | AsyncIterable<StoredEvent>,
  /** Awaited after every few events, so that a server can answer other requests. */
  pause?: () => Promise<void>,
): Promise<{ ok: boolean; checked: number; firstBroken: BrokenLink | null }> => {
  const checker = new ChainChecker();
  let checked = 0;
  let began = performance.now();
  for await (const event of events) {
    checked++;
    const firstBroken = checker.check(linkOf(event));
    if (firstBroken) return { ok: false, checked, firstBroken };
    if (checked % EVENTS_AT_A_TIME !== 0 && performance.now() - began < MILLISECONDS_AT_A_TIME) continue;
    await pause?.();
    began = performance.now();
  }
  return { ok: true, checked, firstBroken: null };
};

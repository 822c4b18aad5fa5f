import type { ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { Clock } from '../../clock.ts';
import { Backoff } from '../backoff.ts';
import type { Position } from '../eventStore.ts';
import { Notifier } from '../notifier.ts';
import { toPosition } from './position.ts';
import type { Session } from './session.ts';

/**
 * Tells that something was appended, by a live subscription to the whole log of which nothing else is used. Servers drop such subscriptions under ordinary
 * load, with an error or by ending them: that counts as news, and the next `wait` begins a new one. A server that says nothing at all is asked for a page
 * after `patience`, which finds out.
 */
export class WakeUp {
  readonly #request: (after: Position | null) => ReadReq;
  readonly #clock: Clock;
  readonly #patience: number;
  readonly #news = new Notifier();
  readonly #backoff: Backoff;
  /** The last subscription was dropped before it told of anything. */
  #fruitless = false;
  #subscription: { readonly session: Session; readonly end: () => void } | null = null;
  /** Of the last event that a subscription told of. */
  #told: Position | null = null;

  constructor(request: (after: Position | null) => ReadReq, clock: Clock, patienceMilliseconds: number) {
    this.#request = request;
    this.#clock = clock;
    this.#patience = patienceMilliseconds;
    this.#backoff = new Backoff(clock);
  }

  /** Resolves when the log seems to hold something after the position, when the subscription was dropped, after the patience, or when the signal aborts. */
  async wait(session: Session, after: Position | null, signal: AbortSignal): Promise<void> {
    if (this.#subscription?.session !== session) {
      this.rest();
      if (this.#fruitless) await this.#backoff.pause(signal);
      if (signal.aborted || session.retired.aborted) return;
      this.#begin(session, after);
    } else if (this.#told !== null && (after === null || this.#told > after)) return;
    const over = new AbortController();
    const patience = this.#clock.sleep(this.#patience, over.signal).catch(() => undefined);
    await Promise.race([this.#news.wait(AbortSignal.any([signal, over.signal])), patience]);
    over.abort();
  }

  /** Ends the subscription: while pages are read, nobody needs it. */
  rest(): void {
    this.#subscription?.end();
    this.#subscription = null;
    this.#told = null;
  }

  #begin(session: Session, after: Position | null): void {
    const call = session.streams.read(this.#request(after), ...session.callArguments());
    session.begin();
    let ended = false;
    const end = () => {
      if (ended) return;
      ended = true;
      session.retired.removeEventListener('abort', end);
      // Whoever leaves a subscription without this leaks its call.
      call.cancel();
      session.end();
      if (this.#subscription !== subscription) return;
      this.#subscription = null;
      this.#fruitless = this.#told === null && !session.retired.aborted;
      this.#news.wake();
    };
    const subscription = { session, end };
    this.#subscription = subscription;
    call.on('data', (answer: ReadResp) => {
      const recorded = answer.getEvent()?.getEvent();
      if (!recorded || ended) return;
      this.#told = toPosition(recorded.getCommitPosition(), recorded.getPreparePosition());
      this.#backoff.reset();
      this.#news.wake();
    });
    call.on('error', end);
    call.on('end', end);
    session.retired.addEventListener('abort', end, { once: true });
  }
}

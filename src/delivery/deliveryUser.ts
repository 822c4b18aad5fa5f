import { type Clock, isoTime } from '../clock.ts';
import { disableWebhookEndpoint } from '../commands/webhookEndpoints.ts';
import type { DeliveryCheckpoint, PendingDelivery } from '../domain/delivery/pendingDeliveries.ts';
import { findEndpoint, isWebhookEndpointsEvent, type WebhookEndpointsEvent } from '../domain/webhookEndpoints/webhookEndpoints.ts';
import type { Logger } from '../logger.ts';
import type { RecordedEvent } from '../stores/eventLog.ts';
import type { Position } from '../stores/eventStore.ts';
import { aborted } from '../supervision/aborted.ts';
import { retrying } from '../supervision/retrying.ts';
import { type AttemptDeps, type Attempted, makeAttempt, UNTOLD } from './attempting.ts';
import { DeliveryJob, type JobOwner } from './deliveryJob.ts';
import type { Dispatcher, Flight } from './dispatcher.ts';
import { EndpointViews } from './endpointViews.ts';
import { type FactDeps, type FactListener, FactWriter } from './factWriter.ts';
import { fanOut, scheduled, stopped } from './fanOut.ts';
import { answerRequest, isRequest, type Request } from './requests.ts';
import type { Stories } from './stories.ts';

export interface UserDeps extends FactDeps, AttemptDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly stories: Stories;
  readonly dispatcher: Dispatcher;
  /** Where a fold may begin; `null` for the first fact. */
  readonly checkpointOf: (subject: string) => Promise<DeliveryCheckpoint | null>;
}

const FAILING_MILLISECONDS = 24 * 3_600_000;
const UNREADABLE_RETRY_MILLISECONDS = 1_000;
const CLOSING_MILLISECONDS = 50;
const GONE = 'The receiver answered 410 Gone.';
const ALL_FAILED = 'All deliveries have failed for 24 hours.';

type RecordedEndpointsEvent = RecordedEvent & WebhookEndpointsEvent;

/** Whose pending deliveries are not sent any more, and why; `null` when the event stops nothing. */
const stopOf = (event: WebhookEndpointsEvent): { endpointId: string; reason: string; deleted: boolean } | null => {
  switch (event.type) {
    case 'EndpointDeleted':
      return { endpointId: event.data.endpointId, reason: 'endpoint deleted', deleted: true };
    case 'EndpointDisabled':
      return { endpointId: event.data.endpointId, reason: 'endpoint disabled', deleted: false };
    case 'EndpointToggled':
    case 'EndpointUpdated':
      return event.data.enabled ? null : { endpointId: event.data.endpointId, reason: 'endpoint disabled', deleted: false };
    default:
      return null;
  }
};

/**
 * All deliveries of one user, while this node holds the user's partition: what the reading of the log brings becomes facts, what is due is handed to
 * the dispatcher, and what comes of an attempt becomes a fact again.
 */
export class DeliveryUser implements JobOwner, FactListener {
  readonly subject: string;
  readonly #deps: UserDeps;
  /** The partition is held. */
  readonly #signal: AbortSignal;
  /** From the start of an attempt until its fact is durable. */
  readonly #flying = new Set<string>();
  /** Endpoints that asked for rest, and until when. */
  readonly #resting = new Map<string, number>();
  #views: EndpointViews | null = null;
  #writer: FactWriter | null = null;
  #opening: Promise<FactWriter> | null = null;
  #answered: Promise<void> = Promise.resolve();
  #handling = 0;
  #closing = false;
  /** For each request that is not answered yet: where the reading was before it. */
  readonly #asked: (Position | null)[] = [];

  constructor(subject: string, deps: UserDeps, signal: AbortSignal) {
    this.subject = subject;
    this.#deps = deps;
    this.#signal = signal;
  }

  /** Nothing pending, nothing under way: it can be forgotten and made anew. */
  get idle(): boolean {
    const quiet = this.#writer ? this.#writer.quiet && this.#writer.state.pending.size === 0 : this.#opening === null;
    return quiet && this.#handling === 0 && this.#flying.size === 0 && this.#asked.length === 0;
  }

  /** The reading's checkpoint may not go beyond; `undefined`: nothing holds it back. */
  get heldBackTo(): Position | null | undefined {
    return this.#asked[0];
  }

  /** Reads what is pending and has it sent. `before`: the reading goes on behind it. Rejects with `StoreUnavailable`. */
  async resume(before: Position | null): Promise<void> {
    this.#views ??= await EndpointViews.load(this.#deps.log, this.subject, before);
    await this.#open();
  }

  /** Events of this user, in order; `before`: where the reading was. Resolves when what follows from them is durable. Rejects with `StoreUnavailable`. */
  async handle(events: readonly RecordedEvent[], before: Position | null): Promise<void> {
    this.#views ??= await EndpointViews.load(this.#deps.log, this.subject, before);
    const durable: Promise<void>[] = [];
    this.#handling += 1;
    try {
      for (const event of events) {
        if (isWebhookEndpointsEvent(event)) durable.push(...(await this.#endpointsChanged(this.#views, event, before)));
        else durable.push(...(await this.#told(this.#views, event)));
      }
      await Promise.all(durable);
    } finally {
      this.#handling -= 1;
    }
  }

  /** What a later start may begin with; `null` when there is nothing to say. */
  async checkpoint(): ReturnType<FactWriter['checkpoint']> {
    return this.#writer ? this.#writer.checkpoint() : null;
  }

  /** The facts before are about to expire: what matters of them is said again. */
  async carry(): Promise<void> {
    const writer = await this.#open();
    await writer.decide(({ lastSourcePosition, lastRequestPosition, sequences, failing }) => [
      {
        type: 'DeliveryCarried',
        data: { lastSourcePosition, lastRequestPosition, sequences: Object.fromEntries(sequences), failing: Object.fromEntries(failing) },
      },
    ]);
  }

  /** Begins no attempt any more; resolves when those under way are recorded, or can be no more. */
  async close(): Promise<void> {
    this.#closing = true;
    while (this.#flying.size > 0 && !this.#signal.aborted) await this.#deps.clock.pause(CLOSING_MILLISECONDS, this.#signal);
    await this.settled();
  }

  /** Resolves when all that has ended is recorded. */
  async settled(): Promise<void> {
    await this.#writer?.settled();
  }

  due(pending: Iterable<PendingDelivery>): void {
    for (const one of pending) if (!this.#flying.has(one.delivery.deliveryId)) this.#deps.dispatcher.add(new DeliveryJob(this, one));
  }

  /** `null` too for what an older state held. */
  urlOf(pending: PendingDelivery): string | null {
    const { deliveryId, endpointId, dynamicStreamId, url } = pending.delivery;
    if (this.#closing || this.#signal.aborted || this.#flying.has(deliveryId) || this.#writer?.state.pending.get(deliveryId) !== pending)
      return null;
    if (!this.#views) return null;
    const { newest } = this.#views;
    if (dynamicStreamId !== null) return Object.hasOwn(newest.disabledDynamic, endpointId) ? null : url;
    const endpoint = findEndpoint(newest, endpointId);
    // What was pending when it was disabled ends by a fact of its own; what was asked for by hand is sent.
    return endpoint && (endpoint.enabled || pending.batch.once) ? endpoint.url : null;
  }

  restingUntil(endpointId: string): number | null {
    return this.#resting.get(endpointId) ?? null;
  }

  async attempt(pending: PendingDelivery, flight: Flight): Promise<boolean | null> {
    const url = this.urlOf(pending);
    const [writer, views] = [this.#writer, this.#views];
    if (url === null || !writer || !views) return null;
    const { deliveryId } = pending.delivery;
    this.#flying.add(deliveryId);
    try {
      const to = { subject: this.subject, endpoints: views.newest, url, held: this.#signal };
      const attempted = await makeAttempt(this.#deps, to, pending, flight);
      if (attempted === 'cut off' || this.#signal.aborted) return null;
      const disabled = attempted.end.outcome === 'gone' ? this.#disable(pending, { reason: GONE, url }) : null;
      void this.#ended(writer, pending, attempted, disabled);
      // Its place is kept for as long: nothing more goes there meanwhile.
      if (disabled) await Promise.race([disabled, aborted(flight.signal)]);
      return attempted.end.outcome === 'delivered';
    } catch (error) {
      this.#deps.logger.warn({ err: error, deliveryId }, 'preparing a webhook failed; retrying');
      this.#flying.delete(deliveryId);
      this.#deps.dispatcher.add(new DeliveryJob(this, pending, this.#deps.clock.now() + UNREADABLE_RETRY_MILLISECONDS));
      return null;
    }
  }

  /** Records an attempt and what follows from it. Never rejects. */
  async #ended(
    writer: FactWriter,
    pending: PendingDelivery,
    { end, endedAt, record }: Attempted,
    disabled: Promise<void> | null,
  ): Promise<void> {
    const { deliveryId, endpointId } = pending.delivery;
    if (end.outcome === 'delivered') this.#resting.delete(endpointId);
    if (end.retryAfter !== null) this.#resting.set(endpointId, endedAt + end.retryAfter);
    // First the endpoint: if the node dies in between, the attempt comes again and finds it disabled.
    await disabled;
    await writer.record(record);
    this.#flying.delete(deliveryId);
    const next = writer.state.pending.get(deliveryId);
    if (next) this.due([next]);
    // What the guard refuses has failed as well, and for good; what cannot be told says nothing about the endpoint.
    const hasFailed = end.outcome === 'failed' || (end.outcome === 'refused' && end !== UNTOLD);
    if (hasFailed && !pending.batch.once) await this.#failed(writer, pending, record.at);
  }

  /** An endpoint of which all has failed for a day is disabled. */
  async #failed(writer: FactWriter, pending: PendingDelivery, at: string): Promise<void> {
    const { endpointId } = pending.delivery;
    const since = writer.state.failing.get(endpointId);
    if (since === undefined || Date.parse(at) - Date.parse(since) < FAILING_MILLISECONDS) return;
    const endpoint = this.#views && findEndpoint(this.#views.newest, endpointId);
    // Enabling forgets the failures from before.
    if (endpoint && endpoint.enabledTimestamp > since) writer.state.failing.set(endpointId, at);
    else await this.#disable(pending, { reason: ALL_FAILED, failingSince: since });
  }

  /** Until it is stored, or the partition is lost. */
  async #disable({ delivery }: PendingDelivery, why: { reason: string; url?: string; failingSince?: string }): Promise<void> {
    const { endpointId, deliveryId } = delivery;
    const context = { subject: this.subject, actor: 'delivery', correlationId: deliveryId, causationId: deliveryId };
    const endpoint = { endpointId, dynamic: delivery.dynamicStreamId !== null, ...why };
    const stored = await this.#insist(
      () => disableWebhookEndpoint(this.#deps, endpoint, context),
      'disabling an endpoint failed; retrying',
    );
    if (stored) this.#views?.learn(stored.state, stored.events);
  }

  /** Repeats `work` until it succeeds. `null` when the partition is lost first. */
  #insist<T>(work: () => Promise<T>, failure: string, fields: object = {}): Promise<T | null> {
    const { clock, logger } = this.#deps;
    const onFailure = (error: unknown) => logger.warn({ err: error, ...fields }, failure);
    return retrying(work, { clock, signal: this.#signal, onFailure }).catch(() => null);
  }

  /** The holder's writer, opened when the first fact is to be written. */
  #open(): Promise<FactWriter> {
    if (!this.#opening) {
      const opening = this.#openWriter();
      this.#opening = opening;
      opening.catch(() => {
        this.#opening = null;
      });
    }
    return this.#opening;
  }

  async #openWriter(): Promise<FactWriter> {
    const checkpoint = await this.#deps.checkpointOf(this.subject);
    const writer = await FactWriter.open(this.#deps, { subject: this.subject, checkpoint }, this, this.#signal);
    this.#writer = writer;
    this.due(writer.state.pending.values());
    return writer;
  }

  /** What has to become durable before the reading goes on. */
  async #told(views: EndpointViews, event: RecordedEvent): Promise<Promise<void>[]> {
    // Most streams of most users: nobody hears of them, and nothing has to be folded.
    if (this.#deps.stories.isSilent(event.eventStream) && !views.atReading.endpoints.some(({ enabled }) => enabled)) return [];
    const story = await this.#deps.stories.of(event);
    const deliveries = fanOut(event, story, views.atReading);
    const over = event.type === 'GroupExpired' && story.of === 'group' ? story.targets.map(({ endpoint }) => endpoint.id) : [];
    if (deliveries.length === 0 && over.length === 0) return [];
    for (const type of new Set(deliveries.map((delivery) => delivery.type))) this.#deps.bodies.remember(event, type, story);
    const { clock, schedule } = this.#deps;
    const deadline = isoTime(clock.now() + schedule.windowMilliseconds);
    const writer = await this.#open();
    return [writer.decide((state) => scheduled(state, event, deliveries, deadline)).then(() => writer.state.forget(over))];
  }

  async #endpointsChanged(views: EndpointViews, event: RecordedEndpointsEvent, before: Position | null): Promise<Promise<void>[]> {
    views.evolve(event);
    if (isRequest(event)) this.#ask(views, event, before);
    const stop = stopOf(event);
    if (!stop) return [];
    const writer = await this.#open();
    return [writer.decide((state) => stopped(state, { ...stop, position: event.position }))];
  }

  /** One after another, beside the reading: a recovery may take its time. */
  #ask(views: EndpointViews, request: RecordedEvent & Request, before: Position | null): void {
    this.#asked.push(before);
    this.#answered = this.#answered.then(async () => {
      const answer = async () =>
        answerRequest({ ...this.#deps, writer: await this.#open(), endpoints: views, signal: this.#signal }, this.subject, request);
      await this.#insist(answer, 'answering a delivery request failed; retrying', { request: request.id });
      this.#asked.shift();
    });
  }
}

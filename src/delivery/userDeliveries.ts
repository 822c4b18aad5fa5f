import type { DeliveryCheckpoint, PendingDelivery } from '../domain/delivery/state.ts';
import { isWebhookEndpointsEvent, type WebhookEndpointsEvent } from '../domain/webhookEndpoints/events.ts';
import { findEndpoint } from '../domain/webhookEndpoints/state.ts';
import { DamagedEventStream, type Position } from '../stores/eventStore.ts';
import { unlessDamaged } from '../stores/integrity/damage.ts';
import type { RecordedEvent } from '../stores/log/eventLog.ts';
import { aborted } from '../supervision/aborted.ts';
import { retrying } from '../supervision/retrying.ts';
import { EndpointHealth, type HealthDeps } from './endpointHealth.ts';
import { buildAttemptRecord } from './facts/attemptRecord.ts';
import { carryFacts } from './facts/carry.ts';
import { type Decision, type FactDeps, FactWriter } from './facts/factWriter.ts';
import { EndpointSets } from './plan/endpointSets.ts';
import type { EventContexts } from './plan/eventContexts.ts';
import { factsOfScheduling, fanOut } from './plan/fanOut.ts';
import { factsOfStopping, type Stop, stopOf } from './plan/stopping.ts';
import { dynamicTargets, isHealthChange, webhookTypes } from './plan/webhookTypes.ts';
import type { Dispatcher } from './queue/dispatcher.ts';
import type { Flight } from './queue/flight.ts';
import type { Sending } from './queue/job.ts';
import { answerRequest, isManualRequest, type ManualRequest } from './requests/answerRequest.ts';
import type { UserIndex } from './requests/userIndex.ts';
import { type AttemptEnd, deadlineAfter, type RetryTimes } from './retryRules.ts';
import { type AttemptDeps, type AttemptResult, makeAttempt } from './send/attempt.ts';
import type { Excerpts } from './send/excerpts.ts';
import { PreparingFailures } from './send/preparingFailures.ts';

export interface UserDeps extends FactDeps, AttemptDeps, HealthDeps {
  readonly contexts: EventContexts;
  readonly index: UserIndex;
  readonly dispatcher: Dispatcher;
  readonly excerpts: Excerpts;
  readonly schedule: RetryTimes;
  /** From 0 to 1: the jitter. */
  readonly random: () => number;
  /** Where to start folding the user's facts; `null`: at the first one. */
  readonly checkpointOf: (subject: string) => Promise<DeliveryCheckpoint | null>;
}

const CLOSING_MILLISECONDS = 50;

const isNoDamage = (error: unknown): boolean => !(error instanceof DamagedEventStream);

/** A decision that is queued for the fact writer, which may run it later. `durable` resolves when its facts are. */
interface Decided {
  readonly durable: Promise<void>;
}

/**
 * All deliveries of one user, while this node holds the user's partition. From step 1, a webhook passes through this file from top to bottom:
 *
 * 0. `Deliverer` reads the log (`#read`) and groups events by user.
 * 1. `handle` takes an event of the log. `plan/` says which facts follow from it, and `bodies.remember` renders their bodies while the event is at hand.
 *    Requests of a person are answered beside the reading (`requests/`).
 * 2. The fact writer appends the facts: the only writer of the user's facts while the log is in use. After a move, `facts/carry.ts` writes a user's first
 *    facts into the new store.
 * 3. `#enqueue` puts deliveries into the queue once their facts are durable: the writer calls it (`onDue` in `#openWriter`), and `#recordResult` for a
 *    retry. The queue decides when each is sent.
 * 4. `#attempt` runs when it is a delivery's turn. `send/` makes one POST and returns a result. The excerpt of the response is kept (`excerpts`), and a
 *    410 disables the endpoint (`endpointHealth.ts`).
 * 5. `#recordResult` records the result as a fact. A delivery that is still pending returns to step 3, due at the time that `retryRules.ts` gives.
 *
 * People see deliveries by way of the facts only: `projections/deliveries.ts` folds them into documents, and `http/webhooks/deliveryRoutes.ts` lists
 * these.
 */
export class UserDeliveries {
  readonly #subject: string;
  readonly #deps: UserDeps;
  /** Aborts when this node no longer holds the user's partition. */
  readonly #signal: AbortSignal;
  readonly #health: EndpointHealth;
  readonly #sending: Sending;
  readonly #preparingFailures: PreparingFailures;
  /** From the start of an attempt until its fact is durable. */
  readonly #flying = new Set<string>();
  #endpoints: EndpointSets | null = null;
  #writer: FactWriter | null = null;
  #opening: Promise<FactWriter> | null = null;
  #answered: Promise<void> = Promise.resolve();
  #handling = 0;
  #closing = false;
  /** For each request of the user (recover, resend, ping) that is not answered yet: the last position handled before it, `null` at the log's start. */
  readonly #unanswered: (Position | null)[] = [];

  constructor(subject: string, deps: UserDeps, signal: AbortSignal) {
    this.#subject = subject;
    this.#deps = deps;
    this.#signal = signal;
    this.#health = new EndpointHealth(deps, subject, signal);
    this.#preparingFailures = new PreparingFailures(deps);
    this.#sending = {
      owner: subject,
      origin: (pending) => {
        const url = this.#sendableUrl(pending);
        return url === null ? null : new URL(url).origin;
      },
      postponedTo: (pending, now) => this.#health.postponedTo(pending, now),
      attempt: (pending, flight) => this.#attempt(pending, flight),
    };
  }

  /** Queues all pending deliveries. `before`: the last position that was handled. Rejects with `StoreUnavailable`. */
  async resume(before: Position | null): Promise<void> {
    this.#endpoints ??= await EndpointSets.load(this.#deps.log, this.#subject, before);
    await this.#open();
  }

  /** Step 1. Events of this user, in order. Resolves when the facts that follow are durable. Rejects with `StoreUnavailable`. */
  async handle(events: readonly RecordedEvent[], before: Position | null): Promise<void> {
    this.#endpoints ??= await EndpointSets.load(this.#deps.log, this.#subject, before);
    const durable: Promise<void>[] = [];
    this.#handling += 1;
    try {
      for (const event of events) {
        const decided = isWebhookEndpointsEvent(event)
          ? await this.#handleEndpointsEvent(this.#endpoints, event, before)
          : // The log reports a damaged event stream; its events have no webhooks.
            await unlessDamaged(this.#scheduleFor(this.#endpoints, event), null);
        if (decided) durable.push(decided.durable);
      }
      await Promise.all(durable);
    } finally {
      this.#handling -= 1;
    }
  }

  /** Resolves when the decision to schedule deliveries is queued for the fact writer; `null` if the event has none. */
  async #scheduleFor(endpoints: EndpointSets, event: RecordedEvent): Promise<Decided | null> {
    const { contexts, bodies, clock, schedule } = this.#deps;
    // Most streams have no webhook: then their state is not needed.
    if (contexts.hasNoDynamicWebhook(event.eventStream) && !endpoints.atReading.endpoints.some(({ enabled }) => enabled)) return null;
    const context = await contexts.of(event);
    const deliveries = fanOut(event, context, endpoints.atReading);
    // After the last event of a group, its streams' own webhooks get nothing more.
    const isLast = webhookTypes(event, context).includes('group.expired');
    const expired = isLast ? dynamicTargets(context).map(({ endpoint }) => endpoint.id) : [];
    if (deliveries.length === 0 && expired.length === 0) return null;
    for (const { delivery, renderer } of deliveries) bodies.remember(event, { type: delivery.type, renderer }, context);
    const now = clock.now();
    const deadlineOf = (retryWindow: number | null) => deadlineAfter(schedule, now, retryWindow);
    const writer = await this.#open();
    // Step 2.
    const durable = writer.decide((state) => factsOfScheduling(state, event, deliveries, deadlineOf));
    return { durable: durable.then(() => writer.state.dropEndpoints(expired)) };
  }

  /** Takes a change of the endpoints, or a person's request. Resolves when the decision to stop deliveries is queued; `null` if there is none. */
  async #handleEndpointsEvent(
    endpoints: EndpointSets,
    event: RecordedEvent & WebhookEndpointsEvent,
    before: Position | null,
  ): Promise<Decided | null> {
    endpoints.evolve(event);
    if (isHealthChange(event)) return this.#scheduleFor(endpoints, event);
    if (isManualRequest(event)) this.#answerLater(endpoints, event, before);
    const stop = stopOf(event);
    if (!stop) return null;
    const writer = await this.#open();
    return { durable: this.#stop(writer, stop, event.position) };
  }

  /** Queues the first decision at once. Resolves when all facts are durable, or the partition is lost. */
  async #stop(writer: FactWriter, stop: Stop, position: Position): Promise<void> {
    let isDone = false;
    const decide: Decision = (state) => {
      const facts = factsOfStopping(state, stop, position);
      isDone = facts.length === 0;
      return facts;
    };
    while (!isDone && !this.#signal.aborted) isDone = (await writer.decide(decide)) === 'dropped' || isDone;
    if (stop.deleted) writer.state.dropEndpoints([stop.endpointId]);
  }

  /** Requests are answered one after another, in parallel to the log reader, since a recovery may take long. */
  #answerLater(endpoints: EndpointSets, request: RecordedEvent & ManualRequest, before: Position | null): void {
    const { clock, logger } = this.#deps;
    this.#unanswered.push(before);
    const answer = async () =>
      answerRequest({ ...this.#deps, writer: await this.#open(), endpoints, signal: this.#signal }, this.#subject, request);
    const onFailure = (error: unknown) => logger.warn({ err: error, request: request.id }, 'answering a delivery request failed; retrying');
    this.#answered = this.#answered.then(async () => {
      // It rejects when the partition is lost: the next holder answers. It also does if the user's facts are damaged: then nothing can be answered.
      await retrying(answer, { clock, signal: this.#signal, retryIf: isNoDamage, onFailure }).catch(() => undefined);
      this.#unanswered.shift();
    });
  }

  /** The writer is opened for the first fact, or if deliveries may be pending. */
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
    const checkpoint = await this.#deps.checkpointOf(this.#subject);
    const onDue = (pending: Iterable<PendingDelivery>) => this.#enqueue(pending);
    const writer = await FactWriter.open(this.#deps, { subject: this.#subject, checkpoint }, onDue, this.#signal);
    this.#writer = writer;
    this.#enqueue(writer.state.pending.values());
    return writer;
  }

  /** Step 3: queues deliveries whose facts are durable. */
  #enqueue(pending: Iterable<PendingDelivery>): void {
    for (const one of pending) if (!this.#flying.has(one.delivery.deliveryId)) this.#queue(one, one.nextAt);
  }

  #queue(pending: PendingDelivery, dueAt: number): void {
    this.#deps.dispatcher.add({ sending: this.#sending, pending, dueAt });
  }

  /** The current URL of a delivery; `null` if it must not be sent, or belongs to an outdated state. */
  #sendableUrl(pending: PendingDelivery): string | null {
    const { deliveryId, endpointId, dynamicStreamId, url } = pending.delivery;
    if (this.#closing || this.#signal.aborted || this.#flying.has(deliveryId)) return null;
    if (!this.#endpoints || this.#writer?.state.pending.get(deliveryId) !== pending) return null;
    const { newest } = this.#endpoints;
    if (dynamicStreamId !== null) return newest.disabledDynamic.has(endpointId) ? null : url;
    const endpoint = findEndpoint(newest, endpointId);
    // Disabling an endpoint ends its pending deliveries by a fact; manual ones are sent.
    return endpoint && (endpoint.enabled || pending.scheduling.once) ? endpoint.url : null;
  }

  /** Step 4: makes an attempt. Returns what it says about the receiver, for the queue. Never rejects. */
  async #attempt(pending: PendingDelivery, flight: Flight): Promise<AttemptEnd['endpoint']> {
    const url = this.#sendableUrl(pending);
    const [writer, endpoints] = [this.#writer, this.#endpoints];
    if (url === null || !writer || !endpoints) return 'untested';
    const { deliveryId } = pending.delivery;
    this.#flying.add(deliveryId);
    try {
      const to = { subject: this.#subject, endpoints: endpoints.newest, url, partitionLost: this.#signal };
      const result = await makeAttempt(this.#deps, to, pending, flight);
      this.#preparingFailures.forget(pending);
      if (result === 'abandoned') return 'untested';
      const response = result.end.excerpt === null ? null : await this.#deps.excerpts.keep(this.#subject, result.end.excerpt);
      if (this.#signal.aborted) return 'untested';
      const disabled = result.end.verdict === 'gone' ? this.#health.disableGone(pending, endpoints, writer, url) : null;
      void this.#recordResult({ writer, endpoints, pending, url, result, response, disabled });
      // The attempt keeps its place in the queue until the endpoint is disabled, so that nothing more is sent there.
      if (disabled) await Promise.race([disabled, aborted(flight.signal)]);
      return result.end.endpoint;
    } catch (error) {
      this.#afterPreparingFailed(writer, endpoints, pending, error);
      return 'untested';
    }
  }

  /** An error on this side has ended an attempt before anything was sent. */
  #afterPreparingFailed(writer: FactWriter, endpoints: EndpointSets, { delivery }: PendingDelivery, error: unknown): void {
    const { clock } = this.#deps;
    // The facts may have been read again meanwhile.
    const pending = writer.state.pending.get(delivery.deliveryId);
    if (!pending || this.#signal.aborted) {
      this.#flying.delete(delivery.deliveryId);
      return;
    }
    const next = this.#preparingFailures.note(pending, error);
    if (next.retryIn === null) {
      const result = { end: next.end, at: clock.now(), milliseconds: 0 };
      void this.#recordResult({ writer, endpoints, pending, url: null, result, response: null, disabled: null });
      return;
    }
    this.#flying.delete(delivery.deliveryId);
    this.#queue(pending, clock.now() + next.retryIn);
  }

  /** Step 5: records the result of an attempt. Never rejects. */
  async #recordResult({ writer, endpoints, pending, url, result, response, disabled }: EndedAttempt): Promise<void> {
    const { deliveryId } = pending.delivery;
    const { end, at, milliseconds } = result;
    const endedAt = this.#deps.clock.now();
    this.#health.noteResponse(pending, end, endedAt);
    const times = { at, endedAt, milliseconds, response, random: this.#deps.random() };
    const record = buildAttemptRecord(pending, end, times, this.#deps.schedule);
    // The endpoint first: if the node dies in between, the attempt is repeated and finds it disabled.
    await disabled;
    await writer.record(record);
    this.#flying.delete(deliveryId);
    const next = writer.state.pending.get(deliveryId);
    if (next) this.#enqueue([next]);
    // A 410 has disabled its endpoint already, unless the URL has changed meanwhile.
    if (disabled) return;
    if (record.endpointFails) await this.#health.disableIfFailingForADay(pending, endpoints, writer, record.at);
    if (url !== null) await this.#health.report(pending, endpoints, writer, { url, record });
  }

  /** Nothing is pending or running: this object can be dropped. */
  get idle(): boolean {
    const quiet = this.#writer ? this.#writer.quiet && this.#writer.state.pending.size === 0 : this.#opening === null;
    return quiet && this.#handling === 0 && this.#flying.size === 0 && this.#unanswered.length === 0;
  }

  /** The checkpoint of the reading must not pass position `at` (`null`: the log's start), so that a request is read again. `null` for no limit. */
  get heldBackTo(): { readonly at: Position | null } | null {
    const [at] = this.#unanswered;
    return at === undefined ? null : { at };
  }

  /** Where a later start can begin; `null` before the first fact, and if the last one is at `saved`. */
  async checkpoint(saved?: Position): ReturnType<FactWriter['checkpoint']> {
    return this.#writer ? this.#writer.checkpoint(saved) : null;
  }

  /** Repeats what still matters in the facts, before they expire. */
  async carry(): Promise<void> {
    await carryFacts(await this.#open());
  }

  /** Takes deliveries out of the read model, as far as their facts from before a time have left the log. */
  async forgetDeliveries(before: string, deliveryIds: readonly string[]): Promise<void> {
    const writer = await this.#open();
    await writer.decide(() => [{ type: 'DeliveriesForgotten', data: { before, deliveryIds: [...deliveryIds] } }]);
  }

  /** Starts no further attempt. Resolves when the running ones are recorded, or the partition is lost. */
  async close(): Promise<void> {
    this.#closing = true;
    while (this.#flying.size > 0 && !this.#signal.aborted) await this.#deps.clock.pause(CLOSING_MILLISECONDS, this.#signal);
    await this.settled();
  }

  /** Resolves when every result so far is recorded. */
  async settled(): Promise<void> {
    await this.#writer?.settled();
  }
}

interface EndedAttempt {
  readonly writer: FactWriter;
  readonly endpoints: EndpointSets;
  readonly pending: PendingDelivery;
  /** Where it was sent; `null`: nowhere. */
  readonly url: string | null;
  readonly result: AttemptResult;
  /** Where the excerpt of the response is kept. */
  readonly response: string | null;
  readonly disabled: Promise<void> | null;
}

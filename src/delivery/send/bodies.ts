import { LRUCache } from 'lru-cache';
import type { DeliverySource } from '../../domain/delivery/events.ts';
import { unlessDamaged } from '../../stores/integrity/damage.ts';
import { type EventLog, NewerVersion, type RecordedEvent } from '../../stores/log/eventLog.ts';
import type { EventContexts } from '../plan/eventContexts.ts';
import type { EventContext } from '../plan/webhookTypes.ts';
import { BODY_VERSIONS, type RenderedBody } from './rendering.ts';

const REMEMBERED_CHARACTERS = 8 * 1024 * 1024;

/** The source event of a delivery has left the log, or its event stream is damaged. Trying again would not help. */
export class SourceUnreadable extends Error {}

/** A body, and the correlation id of its source event. */
export interface WebhookBody extends RenderedBody {
  readonly correlationId: string;
}

/** Bodies of webhook events, rendered from the log when needed. The newest are cached, since several endpoints may get the same event. */
export class Bodies {
  readonly #log: EventLog;
  readonly #contexts: EventContexts;
  readonly #remembered = new LRUCache<string, WebhookBody>({
    maxSize: REMEMBERED_CHARACTERS,
    sizeCalculation: ({ before, after }) => before.length + after.length,
  });

  constructor(log: EventLog, contexts: EventContexts) {
    this.#log = log;
    this.#contexts = contexts;
  }

  /** Renders a body for attempts that follow soon. If that fails, the first attempt fails too, and says why. */
  remember(event: RecordedEvent, { type, renderer }: { type: string; renderer: number }, context: EventContext): void {
    const key = keyOf(event.id, type, renderer);
    const render = BODY_VERSIONS[renderer];
    if (!render || this.#remembered.has(key)) return;
    try {
      this.#remembered.set(key, { ...render(event, type, context), correlationId: event.metadata.$correlationId });
    } catch {
      // The reading of the log must not stop at one webhook.
    }
  }

  /** Call it after an erasure: cached bodies hold personal data. */
  forget(): void {
    this.#remembered.clear();
  }

  /** Rejects with `StoreUnavailable`, `SourceUnreadable` and `NewerVersion`. */
  async of({ sourceEventId, sourceEventStream, sourceRevision }: DeliverySource, type: string, renderer: number): Promise<WebhookBody> {
    const key = keyOf(sourceEventId, type, renderer);
    const remembered = this.#remembered.get(key);
    if (remembered) return remembered;
    const render = BODY_VERSIONS[renderer];
    if (!render) throw new NewerVersion(`a newer version of this program must send this webhook: it has renderer ${renderer}`);
    const [event] = await unlessDamaged(this.#log.readStream(sourceEventStream, { from: BigInt(sourceRevision), limit: 1 }), []);
    if (event?.id !== sourceEventId) throw new SourceUnreadable(`${sourceEventStream}: event ${sourceEventId} cannot be read`);
    const context = await unlessDamaged(this.#contexts.of(event), null);
    if (context === null) throw new SourceUnreadable(`${sourceEventStream} is damaged`);
    const rendered = render(event, type, context);
    const body = { ...rendered, correlationId: event.metadata.$correlationId };
    this.#remembered.set(key, body);
    return body;
  }
}

const keyOf = (sourceEventId: string, type: string, renderer: number): string => `${sourceEventId} ${type} ${renderer}`;

import { LRUCache } from 'lru-cache';
import type { DeliverySource } from '../../domain/delivery/events.ts';
import { unlessDamaged } from '../../stores/integrity/damage.ts';
import type { EventLog, RecordedEvent } from '../../stores/log/eventLog.ts';
import type { EventContexts } from '../plan/eventContexts.ts';
import type { EventContext } from '../plan/webhookTypes.ts';
import { RENDERERS, type RenderedBody } from './rendering.ts';

const REMEMBERED_CHARACTERS = 8 * 1024 * 1024;

/** The source event of a delivery has left the log, or its rendering version is unknown. */
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

  /** Renders a body for attempts that follow soon. */
  remember(event: RecordedEvent, { type, renderer }: { type: string; renderer: number }, context: EventContext): void {
    const key = keyOf(event.id, type, renderer);
    const renders = RENDERERS[renderer];
    if (renders && !this.#remembered.has(key))
      this.#remembered.set(key, { ...renders(event, type, context), correlationId: event.metadata.$correlationId });
  }

  /** Call it after an erasure: cached bodies hold personal data. */
  forget(): void {
    this.#remembered.clear();
  }

  /** Rejects with `StoreUnavailable`, and with `SourceUnreadable`. */
  async of({ sourceEventId, sourceEventStream, sourceRevision }: DeliverySource, type: string, renderer: number): Promise<WebhookBody> {
    const key = keyOf(sourceEventId, type, renderer);
    const remembered = this.#remembered.get(key);
    if (remembered) return remembered;
    const [event] = await unlessDamaged(this.#log.readStream(sourceEventStream, { from: BigInt(sourceRevision), limit: 1 }), []);
    const renders = RENDERERS[renderer];
    if (event?.id !== sourceEventId || !renders) throw new SourceUnreadable(`${sourceEventStream}: event ${sourceEventId} cannot be read`);
    const context = await unlessDamaged(this.#contexts.of(event), null);
    if (context === null) throw new SourceUnreadable(`${sourceEventStream} is damaged`);
    const rendered = renders(event, type, context);
    const body = { ...rendered, correlationId: event.metadata.$correlationId };
    this.#remembered.set(key, body);
    return body;
  }
}

const keyOf = (sourceEventId: string, type: string, renderer: number): string => `${sourceEventId} ${type} ${renderer}`;

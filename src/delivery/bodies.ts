import { LRUCache } from 'lru-cache';
import type { DeliverySource } from '../domain/delivery/delivery.ts';
import type { EventLog, RecordedEvent } from '../stores/eventLog.ts';
import { RENDERER, RENDERERS, type RenderedBody, render, type Story } from './rendering.ts';
import type { Stories } from './stories.ts';

const REMEMBERED_CHARACTERS = 8 * 1024 * 1024;

/** The event that a delivery tells of is not in the log any more, or cannot be told. */
export class NothingToTell extends Error {}

/** A body, and what the event behind it came of. */
export interface ToldBody extends RenderedBody {
  readonly correlationId: string;
}

/** Bodies of webhook events, made from the log whenever they are needed; the newest are remembered for all endpoints that hear of them. */
export class Bodies {
  readonly #log: EventLog;
  readonly #stories: Stories;
  readonly #remembered = new LRUCache<string, ToldBody>({
    maxSize: REMEMBERED_CHARACTERS,
    sizeCalculation: ({ before, after }) => before.length + after.length,
  });

  constructor(log: EventLog, stories: Stories) {
    this.#log = log;
    this.#stories = stories;
  }

  remember(event: RecordedEvent, type: string, story: Story): void {
    const key = keyOf(event.id, type, RENDERER);
    if (!this.#remembered.has(key))
      this.#remembered.set(key, { ...render(event, type, story), correlationId: event.metadata.$correlationId });
  }

  /** Somebody was erased: what is remembered was rendered before. */
  forget(): void {
    this.#remembered.clear();
  }

  /** Rejects with `StoreUnavailable`, and with `NothingToTell`. */
  async of({ sourceEventId, sourceEventStream, sourceRevision }: DeliverySource, type: string, renderer: number): Promise<ToldBody> {
    const key = keyOf(sourceEventId, type, renderer);
    const remembered = this.#remembered.get(key);
    if (remembered) return remembered;
    const [event] = await this.#log.readStream(sourceEventStream, { from: BigInt(sourceRevision), limit: 1 });
    const renders = RENDERERS[renderer];
    if (event?.id !== sourceEventId || !renders)
      throw new NothingToTell(`${sourceEventStream}: event ${sourceEventId} cannot be told any more`);
    const rendered = renders(event, type, await this.#stories.of(event));
    const body = { ...rendered, correlationId: event.metadata.$correlationId };
    this.#remembered.set(key, body);
    return body;
  }
}

const keyOf = (sourceEventId: string, type: string, renderer: number): string => `${sourceEventId} ${type} ${renderer}`;

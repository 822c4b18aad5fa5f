import { setTimeout as wait } from 'node:timers/promises';
import type { StoredEvent } from '../../src/stores/eventStore.ts';
import { ADMIN_KEY } from '../e2e/server.ts';

/** An event as auditors see it: revision and position as text. */
export interface AuditedEvent extends Pick<StoredEvent, 'id' | 'eventStream' | 'type' | 'data'> {
  readonly revision: string;
  readonly position: string;
}

/** Number and interval (milliseconds) of repetitions for a platform that answers 503 or disconnects. */
const REPEATS = 30;
const PAUSE = 1_000;

/** The platform is temporarily unavailable. */
class BrokenOff extends Error {}

/** The log through the audit service, each event once and in order: every read continues after the last one. */
export class AuditedLog {
  readonly #address: () => string;
  #position: string | null = null;

  constructor(address: () => string) {
    this.#address = address;
  }

  /** Events since the last call. */
  async *readOn(): AsyncGenerator<AuditedEvent, void, undefined> {
    for (let left = REPEATS; ; left -= 1) {
      try {
        yield* this.#rest();
        return;
      } catch (error) {
        if (!(error instanceof BrokenOff) || left === 0) throw error;
        await wait(PAUSE);
      }
    }
  }

  async *#rest(): AsyncGenerator<AuditedEvent, void, undefined> {
    const query = new URLSearchParams({ order: 'asc', ...(this.#position !== null && { after: this.#position }) });
    const headers = { accept: 'application/x-ndjson', authorization: `Basic ${ADMIN_KEY}` };
    const response = await fetch(`${this.#address()}/audit-service/api/v1/events?${query}`, { headers });
    if (response.status === 503) throw new BrokenOff(`the log: 503 ${await response.text()}`);
    if (response.status !== 200 || !response.body) throw new Error(`the log: ${response.status} ${await response.text()}`);
    for await (const line of linesOf(response.body)) {
      const event: AuditedEvent = JSON.parse(line);
      this.#position = event.position;
      yield event;
    }
  }
}

/** Whole lines only. */
async function* linesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for await (const chunk of body) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      yield* lines;
    }
  } catch (error) {
    throw new BrokenOff('the log broke off', { cause: error });
  }
}

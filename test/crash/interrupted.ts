import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/clock.ts';
import { openEmbeddedEventStore } from '../../src/stores/embedded/eventStore.ts';
import type { Position } from '../../src/stores/eventStore.ts';
import { type Interruptions, Steps } from './steps.ts';

const SHARES = 'a lone stream shares its group, which has no events yet';
const UNSCHEDULED = 'a stream has ended, its webhooks are not scheduled';
const STEPS = [
  'a stream is created, its upload has not ended',
  'an upload is stored, but not answered',
  'an upload is answered, its run is not stored',
  'a run has started, but not ended',
  UNSCHEDULED,
  SHARES,
] as const;
type Step = (typeof STEPS)[number];

const PAGE = 1_000;

/** For the embedded form: every kill ends all of it, so the log that is left is what the killed server has stored. */
export class Interrupted implements Interruptions {
  readonly #dataDir: string;
  // Another stream joins a lone one rarely, and the two appends follow each other at once.
  readonly #steps = new Steps(STEPS, [SHARES]);
  readonly #last = new Map<string, string>();
  /** Event streams that the killed server has appended to. */
  #touched = new Set<string>();
  /** Ends of streams that the killed server has stored and not scheduled. */
  #unscheduled = new Set<string>();
  #after: Position | null = null;
  #listens = false;

  constructor(dataDir: string) {
    this.#dataDir = dataDir;
  }

  async look(acknowledged: { has(streamId: string): boolean }): Promise<void> {
    this.#touched = new Set();
    this.#unscheduled = new Set();
    await this.#readOn();
    const found = [...this.#touched].map((eventStream) => this.#stepOf(eventStream, acknowledged)).filter((step) => step !== null);
    if (this.#unscheduled.size > 0) found.push(UNSCHEDULED);
    this.#steps.add(found);
  }

  told(): string {
    return this.#steps.told();
  }

  missing(): readonly string[] {
    return this.#steps.missing();
  }

  #stepOf(eventStream: string, acknowledged: { has(streamId: string): boolean }): Step | null {
    const streamId = eventStream.slice('stream-'.length);
    switch (this.#last.get(eventStream)) {
      case 'StreamCreated':
        return 'a stream is created, its upload has not ended';
      case 'ProcessorStarted':
        return 'a run has started, but not ended';
      case 'OwnGroupShared':
        return this.#last.has(`group-${streamId}`) ? null : SHARES;
      case 'UploadCompleted':
        return acknowledged.has(streamId) ? 'an upload is answered, its run is not stored' : 'an upload is stored, but not answered';
      default:
        return null;
    }
  }

  async #readOn(): Promise<void> {
    // A copy: the server must find the files as its predecessor left them.
    const copy = mkdtempSync(join(tmpdir(), 'tributary-killed-'));
    for (const name of readdirSync(this.#dataDir).filter((one) => one.startsWith('log.')))
      cpSync(join(this.#dataDir, name), join(copy, name));
    const store = await openEmbeddedEventStore({ dataDir: copy, clock: systemClock });
    try {
      for (;;) {
        const events = await store.readAll({ after: this.#after, limit: PAGE });
        for (const { id, eventStream, type, data, position } of events) {
          this.#after = position;
          if (/^(stream|group)-/.test(eventStream)) {
            this.#last.set(eventStream, type);
            this.#touched.add(eventStream);
          }
          if (type === 'DeliveriesScheduled') this.#listens = true;
          if (type === 'DeliveriesScheduled') this.#unscheduled.delete(String(data.sourceEventId));
          if (type === 'StreamCompleted' && this.#listens) this.#unscheduled.add(id);
        }
        if (events.length < PAGE) return;
      }
    } finally {
      await store.close();
      rmSync(copy, { recursive: true, force: true });
    }
  }
}

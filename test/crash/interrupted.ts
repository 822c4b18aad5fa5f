import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/clock.ts';
import { openEmbeddedEventStore } from '../../src/stores/embedded/eventStore.ts';
import type { Position } from '../../src/stores/eventStore.ts';

const STEPS = [
  'a stream is created, its upload has not ended',
  'an upload is stored, but not answered',
  'an upload is answered, its run is not stored',
  'a run has started, but not ended',
  'a stream has ended, its webhooks are not scheduled',
  'a lone stream shares its group, which has no events yet',
] as const;
type Step = (typeof STEPS)[number];

/** Steps that a few kills do not meet: another stream joins a lone one rarely, and the two appends follow each other at once. */
const RARE: readonly Step[] = ['a lone stream shares its group, which has no events yet'];
const PAGE = 1_000;

/** Steps between which the kills of a run fell, according to the log that each left behind. For the embedded form. */
export class Interrupted {
  readonly #dataDir: string;
  readonly #kills = new Map<Step, number>();
  readonly #last = new Map<string, string>();
  readonly #unscheduled = new Set<string>();
  #after: Position | null = null;
  #listens = false;

  constructor(dataDir: string) {
    this.#dataDir = dataDir;
  }

  /** Reads what the killed server has stored since the last look. `acknowledged`: streams whose upload was answered. */
  async look(acknowledged: { has(streamId: string): boolean }): Promise<void> {
    await this.#readOn();
    const found = new Set<Step>(this.#unscheduled.size > 0 ? ['a stream has ended, its webhooks are not scheduled'] : []);
    for (const [eventStream, type] of this.#last) {
      const step = this.#stepOf(eventStream, type, acknowledged);
      if (step) found.add(step);
    }
    for (const step of found) this.#kills.set(step, (this.#kills.get(step) ?? 0) + 1);
  }

  told(): string {
    return `kills at which ${STEPS.map((step) => `${step}: ${this.#kills.get(step) ?? 0}`).join('; ')}`;
  }

  /** Steps without a kill between them and the next. */
  missing(): Step[] {
    return STEPS.filter((step) => !this.#kills.has(step) && !RARE.includes(step));
  }

  #stepOf(eventStream: string, type: string, acknowledged: { has(streamId: string): boolean }): Step | null {
    const streamId = eventStream.slice('stream-'.length);
    if (type === 'StreamCreated') return 'a stream is created, its upload has not ended';
    if (type === 'ProcessorStarted') return 'a run has started, but not ended';
    if (type === 'OwnGroupShared')
      return this.#last.has(`group-${streamId}`) ? null : 'a lone stream shares its group, which has no events yet';
    if (type !== 'UploadCompleted') return null;
    return acknowledged.has(streamId) ? 'an upload is answered, its run is not stored' : 'an upload is stored, but not answered';
  }

  async #readOn(): Promise<void> {
    // A copy: the server must find the files as its predecessor left them.
    const copy = mkdtempSync(join(tmpdir(), 'tributary-killed-'));
    for (const name of readdirSync(this.#dataDir).filter((one) => one.startsWith('log.db')))
      cpSync(join(this.#dataDir, name), join(copy, name));
    const store = await openEmbeddedEventStore({ dataDir: copy, clock: systemClock });
    try {
      for (;;) {
        const events = await store.readAll({ after: this.#after, limit: PAGE });
        for (const { id, eventStream, type, data, position } of events) {
          this.#after = position;
          if (/^(stream|group)-/.test(eventStream)) this.#last.set(eventStream, type);
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

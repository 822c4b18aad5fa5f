import { randomBytes } from 'node:crypto';
import type { Keys } from '../../src/stores/keys/openKeys.ts';

/** The keys that can be destroyed, in memory, as the codec needs them. */
export class MemoryKeys
  implements Pick<Keys, 'subjectKey' | 'destroySubjectKey' | 'isErased' | 'eventStreamKey' | 'destroyEventStreamKey'>
{
  readonly #keys = new Map<string, Buffer | null>();
  reads = 0;

  async subjectKey(subject: string, { create }: { create: boolean }): Promise<Buffer | null> {
    this.reads++;
    if (create && !this.#keys.has(subject)) this.#keys.set(subject, randomBytes(32));
    return this.#keys.get(subject) ?? null;
  }

  async destroySubjectKey(subject: string): Promise<boolean> {
    const had = Boolean(this.#keys.get(subject));
    this.#keys.set(subject, null);
    return had;
  }

  async eventStreamKey(eventStream: string, { create }: { create: boolean }): Promise<Buffer | null> {
    return this.subjectKey(` ${eventStream}`, { create });
  }

  async destroyEventStreamKey(eventStream: string): Promise<void> {
    if (this.#keys.has(` ${eventStream}`)) this.#keys.set(` ${eventStream}`, null);
  }

  async isErased(subject: string): Promise<boolean> {
    return this.#keys.get(subject) === null;
  }
}

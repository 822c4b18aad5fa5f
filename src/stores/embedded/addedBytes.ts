/** Topics whose bytes can be given back. Of more, the oldest are forgotten: their bytes stay counted. */
const MOST_TOPICS = 100_000;

interface Counted {
  readonly subject: string;
  readonly bytes: number;
}

/** The bytes that each user has added since a moment and not deleted again. */
export class AddedBytes {
  readonly #users = new Map<string, number>();
  readonly #topics = new Map<string, Counted>();

  get users(): ReadonlyMap<string, number> {
    return this.#users;
  }

  of(subject: string): number {
    return this.#users.get(subject) ?? 0;
  }

  add(subject: string, bytes: number, topic?: string): void {
    this.#users.set(subject, this.of(subject) + bytes);
    if (topic === undefined) return;
    this.#topics.set(topic, { subject, bytes: (this.#topics.get(topic)?.bytes ?? 0) + bytes });
    if (this.#topics.size > MOST_TOPICS) for (const [oldest] of this.#topics) return void this.#topics.delete(oldest);
  }

  /** Gives the bytes of a topic back to its user. */
  free(topic: string): void {
    const counted = this.#topics.get(topic);
    if (!counted) return;
    this.#topics.delete(topic);
    this.#users.set(counted.subject, this.of(counted.subject) - counted.bytes);
  }

  clear(): void {
    this.#users.clear();
    this.#topics.clear();
  }
}

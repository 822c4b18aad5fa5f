import { createHash } from 'node:crypto';
import { type Clock, DAY_MILLISECONDS, isoTime } from '../../clock.ts';
import type { DiskSpace } from '../../stores/diskSpace.ts';
import { TopicMissing, TopicSealed, type Topics } from '../../stores/topics.ts';

const KEPT_DAYS = 7;
/** Reads a topic from its start. */
const FRAMES_A_TOPIC = 2_000;

export interface ExcerptDeps {
  readonly topics: Topics;
  readonly disk: Pick<DiskSpace, 'shortage'>;
  readonly clock: Pick<Clock, 'now'>;
}

interface Writing {
  readonly day: string;
  readonly part: number;
  readonly topic: string;
  frames: number;
}

/** Such as `20260131`. */
const dayOf = (milliseconds: number): string => isoTime(milliseconds).slice(0, 10).replaceAll('-', '');

const oldestDay = (now: number): string => dayOf(now - KEPT_DAYS * DAY_MILLISECONDS);

/** The third group of the id of each topic with excerpts, and of no other: those are UUIDs of version 4 or 5. */
const MARK = '8ece';

/** The topic of one part of a user's day. Its id says what it is and when it expires, so no record of it is needed. */
const excerptTopic = (subject: string, day: string, part: number): string => {
  const user = createHash('sha256').update(subject).digest('hex');
  return `${day}-${part.toString(16).padStart(4, '0')}-${MARK}-${user.slice(0, 4)}-${user.slice(4, 16)}`;
};

/** Whether a topic holds receivers' answers that have not expired: such a topic is never sealed. `now` in milliseconds since the epoch. */
export const holdsExcerpts = (topic: string, now: number): boolean => {
  const [day = '', , mark] = topic.split('-');
  return mark === MARK && day >= oldestDay(now);
};

/**
 * The first 16 KiB of each receiver's answer, kept for 7 days outside the log: one topic per user and day, or several on busy days. This process deletes
 * those that it has written; the retention policy deletes those of earlier processes.
 */
export class Excerpts {
  readonly #deps: ExcerptDeps;
  readonly #writing = new Map<string, Promise<Writing>>();
  readonly #written = new Set<string>();

  constructor(deps: ExcerptDeps) {
    this.#deps = deps;
  }

  /** Stores an excerpt and returns its location, `<topic>/<sequence>`; `null` if it could not be stored, since no delivery depends on it. */
  async keep(subject: string, text: string): Promise<string | null> {
    const { disk, topics } = this.#deps;
    const bytes = Buffer.from(text);
    if (disk.shortage(bytes.length) !== null) return null;
    try {
      const writing = await this.#topicFor(subject);
      const sequence = await topics.append(writing.topic, [bytes]);
      writing.frames = sequence + 1;
      return `${writing.topic}/${sequence}`;
    } catch {
      this.#writing.delete(subject);
      return null;
    }
  }

  /** Existing excerpts by location. */
  async read(places: readonly string[]): Promise<Map<string, string>> {
    const wanted = new Map<string, Set<number>>();
    for (const place of places) {
      const [topic = '', sequence = ''] = place.split('/');
      wanted.set(topic, (wanted.get(topic) ?? new Set()).add(Number(sequence)));
    }
    const found = new Map<string, string>();
    await Promise.all([...wanted].map(([topic, sequences]) => this.#readTopic(topic, sequences, found)));
    return found;
  }

  /** Deletes excerpts older than 7 days. */
  async sweep(): Promise<void> {
    const { topics, clock } = this.#deps;
    for (const topic of this.#written) {
      if (holdsExcerpts(topic, clock.now())) continue;
      await topics.delete(topic);
      this.#written.delete(topic);
    }
    for (const [subject, writing] of this.#writing)
      if ((await writing.catch(() => null))?.day !== dayOf(clock.now())) this.#writing.delete(subject);
  }

  /** One after another for a user: two of them must not create the same topic. */
  #topicFor(subject: string): Promise<Writing> {
    const day = dayOf(this.#deps.clock.now());
    const before = this.#writing.get(subject)?.catch(() => null) ?? Promise.resolve(null);
    const next = before.then((known) => {
      if (known?.day === day && known.frames < FRAMES_A_TOPIC) return known;
      return this.#open(subject, day, known?.day === day ? known.part + 1 : 0);
    });
    this.#writing.set(subject, next);
    return next;
  }

  /** The first part from `part` with room: after a restart the day's topic is continued. */
  async #open(subject: string, day: string, part: number): Promise<Writing> {
    const { topics } = this.#deps;
    for (let n = part; ; n += 1) {
      const topic = excerptTopic(subject, day, n);
      const size = await topics.size(topic);
      if (size && size.frames >= FRAMES_A_TOPIC) continue;
      if (!size) await topics.create(topic);
      this.#written.add(topic);
      return { day, part: n, topic, frames: size?.frames ?? 0 };
    }
  }

  async #readTopic(topic: string, sequences: Set<number>, found: Map<string, string>): Promise<void> {
    const last = Math.max(...sequences);
    try {
      for await (const { sequence, data } of this.#deps.topics.read(topic)) {
        if (sequences.has(sequence)) found.set(`${topic}/${sequence}`, Buffer.from(data).toString('utf8'));
        if (sequence >= last) return;
      }
    } catch (error) {
      // It has expired.
      if (!(error instanceof TopicMissing || error instanceof TopicSealed)) throw error;
    }
  }
}

/** Deletes all receivers' answers to a subject's webhooks. Repeatable. */
export const eraseExcerpts = async ({ topics, clock }: Pick<ExcerptDeps, 'topics' | 'clock'>, subject: string): Promise<void> => {
  for (let n = 0; n <= KEPT_DAYS + 1; n += 1) {
    const day = dayOf(clock.now() - n * DAY_MILLISECONDS);
    let parts = 0;
    while ((await topics.size(excerptTopic(subject, day, parts))) !== null) parts += 1;
    // From the last one, so that an interrupted erasure finds the others again.
    for (let part = parts - 1; part >= 0; part -= 1) await topics.delete(excerptTopic(subject, day, part));
  }
};

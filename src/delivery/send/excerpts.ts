import { type Clock, DAY_MILLISECONDS, isoTime } from '../../clock.ts';
import { uuidv5 } from '../../domain/uuidv5.ts';
import type { DiskSpace } from '../../stores/diskSpace.ts';
import type { Documents, StoredDocument } from '../../stores/documents.ts';
import { pages } from '../../stores/pages.ts';
import { TopicMissing, TopicSealed, type Topics } from '../../stores/topics.ts';

const COLLECTION = 'webhookExcerpts';
const EXCERPTS = { name: COLLECTION, indexes: [['day'], ['subject']] };
const KEPT_DAYS = 7;
/** Reads a topic from its start. */
const FRAMES_A_TOPIC = 2_000;
const SWEPT_TOGETHER = 500;

export interface ExcerptDeps {
  readonly topics: Topics;
  readonly documents: Documents;
  readonly disk: Pick<DiskSpace, 'shortage'>;
  readonly clock: Clock;
}

interface Writing {
  readonly day: string;
  readonly part: number;
  readonly topic: string;
  frames: number;
}

const dayOf = (milliseconds: number): string => isoTime(milliseconds).slice(0, 10);

/** The topic of one part of a user's day. Its id is derived from these, so it need not be stored. */
const excerptTopic = (subject: string, day: string, part: number): string => uuidv5(subject, `webhook answers ${day} ${part}`);

/**
 * The first 16 KiB of each receiver's answer, kept for 7 days outside the log: one topic per user and day, or several on busy days. Documents list
 * the topics, so that they are found when they expire.
 */
export class Excerpts {
  readonly #deps: ExcerptDeps;
  readonly #writing = new Map<string, Promise<Writing>>();

  constructor(deps: ExcerptDeps) {
    this.#deps = deps;
  }

  async ensure(): Promise<void> {
    await this.#deps.documents.ensureCollection(EXCERPTS);
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
    const { documents, clock } = this.#deps;
    const oldest = dayOf(clock.now() - KEPT_DAYS * DAY_MILLISECONDS);
    await removeAll(this.#deps, async () => {
      const page = await documents.find(COLLECTION, { orderBy: [{ member: 'day', direction: 'asc' }], limit: SWEPT_TOGETHER });
      return page.filter(({ body }) => String(body.day) < oldest);
    });
    for (const [subject, writing] of this.#writing)
      if ((await writing.catch(() => null))?.day !== dayOf(clock.now())) this.#writing.delete(subject);
  }

  async #topicFor(subject: string): Promise<Writing> {
    const day = dayOf(this.#deps.clock.now());
    const known = await this.#writing.get(subject);
    if (known && known.day === day && known.frames < FRAMES_A_TOPIC) return known;
    const opening = this.#open(subject, day, known?.day === day ? known.part + 1 : 0);
    this.#writing.set(subject, opening);
    return opening;
  }

  /** The first part from `part` with room: after a restart the day's topic is continued. */
  async #open(subject: string, day: string, part: number): Promise<Writing> {
    const { topics, documents } = this.#deps;
    for (let n = part; ; n += 1) {
      const topic = excerptTopic(subject, day, n);
      const size = await topics.size(topic);
      if (size && size.frames >= FRAMES_A_TOPIC) continue;
      await documents.create(COLLECTION, topic, { subject, day });
      if (!size) await topics.create(topic);
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

/** Whether a topic holds receivers' answers: such a topic is never sealed, and is deleted when it expires. */
export const holdsExcerpts = async (documents: Documents, topic: string): Promise<boolean> => {
  await documents.ensureCollection(EXCERPTS);
  return (await documents.get(COLLECTION, topic)) !== null;
};

/** Deletes all receivers' answers to a subject's webhooks. Repeatable. */
export const eraseExcerpts = async (deps: Pick<ExcerptDeps, 'topics' | 'documents'>, subject: string): Promise<void> => {
  await deps.documents.ensureCollection(EXCERPTS);
  await removeAll(deps, () => deps.documents.find(COLLECTION, { where: { subject }, limit: SWEPT_TOGETHER }));
};

/** Removes page after page, until one is not full. */
const removeAll = async (
  { topics, documents }: Pick<ExcerptDeps, 'topics' | 'documents'>,
  find: () => Promise<readonly StoredDocument[]>,
): Promise<void> => {
  for await (const page of pages(find, SWEPT_TOGETHER)) {
    for (const { id } of page) {
      await topics.delete(id);
      await documents.remove(COLLECTION, id);
    }
  }
};

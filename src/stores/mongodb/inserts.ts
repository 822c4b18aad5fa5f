import type { Clock } from '../../clock.ts';
import { StoreUnavailable } from '../eventStore.ts';
import { Gathering } from '../gathering.ts';
import { inTime, isDuplicate, reach, translated, unlessTaken } from './failures.ts';

/** In one request. */
const MOST = 100;

interface InsertsDeps<Document> {
  readonly clock: Clock;
  readonly insertOne: (document: Document) => Promise<unknown>;
  /** Unordered. */
  readonly insertMany: (documents: readonly Document[]) => Promise<unknown>;
  /** Of each document: `true` if it is stored, `false` if another one has its id, `null` if there is none. */
  readonly areStored: (documents: readonly Document[]) => Promise<readonly (boolean | null)[]>;
}

/** Inserts of single documents by many callers at once, sent together. Each caller learns whether its id was taken. */
export class Inserts<Document> {
  readonly #deps: InsertsDeps<Document>;
  readonly #gathering: Gathering<Document, boolean>;

  constructor(deps: InsertsDeps<Document>) {
    this.#deps = deps;
    this.#gathering = new Gathering({ clock: deps.clock, most: MOST, send: (documents) => this.#send(documents) });
  }

  /** `false` if its id was taken. */
  insert(document: Document): Promise<boolean> {
    return this.#gathering.add(document);
  }

  async #send(documents: readonly Document[]): Promise<readonly (boolean | Error)[]> {
    const { insertMany, areStored } = this.#deps;
    const [only] = documents;
    if (only && documents.length === 1) return [await this.#alone(only)];
    try {
      await inTime(insertMany(documents));
      return documents.map(() => true);
    } catch (error) {
      // The outcome is unknown, as after a single insert that failed.
      if (!isDuplicate(error) && translated(error) instanceof StoreUnavailable) throw translated(error);
    }
    // Some servers stop at the first refused document, others insert the rest.
    const stored = await reach(areStored(documents));
    return Promise.all(documents.map((document, n) => stored[n] ?? this.#alone(document).catch(translated)));
  }

  #alone(document: Document): Promise<boolean> {
    return unlessTaken(this.#deps.insertOne(document));
  }
}

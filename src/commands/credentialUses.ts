import { LRUCache } from 'lru-cache';
import { type Clock, isoTime } from '../clock.ts';
import type { Logger } from '../logger.ts';
import type { Documents } from '../stores/documents.ts';
import { pages } from '../stores/pages.ts';
import { every } from '../supervision/every.ts';
import type { PersonalPlace } from './eraseSubject.ts';

export interface CredentialUsesDeps {
  readonly documents: Pick<Documents, 'ensureCollection' | 'getMany' | 'find' | 'count' | 'create' | 'replace' | 'remove'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

const COLLECTION = 'credentialUses';
const MINUTE_MILLISECONDS = 60_000;
/** Most credentials with unstored uses; uses of further ones may be dropped. */
const MOST_REMEMBERED = 10_000;
const PAGE = 500;

interface Use {
  readonly subject: string;
  /** Minutes since the epoch. */
  readonly minute: number;
  readonly written: boolean;
}

export const openCredentialUses = async (deps: CredentialUsesDeps): Promise<CredentialUses> => {
  await deps.documents.ensureCollection({ name: COLLECTION, indexes: [['subject']] });
  return new CredentialUses(deps);
};

/**
 * When credentials were last used, to the minute. One small document per credential, replaced at most once a minute and only while the credential
 * is in use.
 */
export class CredentialUses {
  readonly #deps: CredentialUsesDeps;
  readonly #uses = new LRUCache<string, Use>({ max: MOST_REMEMBERED });

  constructor(deps: CredentialUsesDeps) {
    this.#deps = deps;
  }

  /** Costs a look-up in memory; stored together with others within a minute. */
  note({ credentialId, subject }: { readonly credentialId: string; readonly subject: string }): void {
    const minute = Math.floor(this.#deps.clock.now() / MINUTE_MILLISECONDS);
    if (this.#uses.get(credentialId)?.minute !== minute) this.#uses.set(credentialId, { subject, minute, written: false });
  }

  /** Whether it was used after a time, in milliseconds since the epoch, to the minute. */
  async wasUsedSince(credentialId: string, time: number): Promise<boolean> {
    const since = Math.floor(time / MINUTE_MILLISECONDS);
    if ((this.#uses.get(credentialId)?.minute ?? -1) >= since) return true;
    return ((await this.#stored([credentialId])).get(credentialId) ?? -1) >= since;
  }

  /** ISO 8601 by credential id, including unstored uses; unknown ids are omitted. */
  async lastUsed(credentialIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const stored = await this.#stored(credentialIds);
    const newest = (id: string) => Math.max(stored.get(id) ?? -1, this.#uses.peek(id)?.minute ?? -1);
    return new Map(
      credentialIds.flatMap((id) => (newest(id) < 0 ? [] : [[id, isoTime(newest(id) * MINUTE_MILLISECONDS)] satisfies [string, string]])),
    );
  }

  /** Stores uses every minute until the signal aborts, then once more. Never rejects. */
  async runUntil(signal: AbortSignal): Promise<void> {
    const { clock, logger } = this.#deps;
    const onFailure = (error: unknown) => logger.warn({ err: error }, 'writing when credentials were last used failed; retrying');
    await every(() => this.#write(), { clock, milliseconds: MINUTE_MILLISECONDS, signal, onFailure });
    await this.#write().catch(onFailure);
  }

  /** Where an erased person's uses are stored. */
  readonly personal: PersonalPlace = {
    count: (subject) => this.#deps.documents.count(COLLECTION, { subject }),
    erased: async (subject) => {
      for (const [id, use] of this.#uses.entries()) if (use.subject === subject) this.#uses.delete(id);
      const { documents } = this.#deps;
      for await (const page of pages(() => documents.find(COLLECTION, { where: { subject }, limit: PAGE }), PAGE))
        for (const { id } of page) await documents.remove(COLLECTION, id);
    },
  };

  async #write(): Promise<void> {
    const due = [...this.#uses.entries()].filter(([, { written }]) => !written);
    for (let at = 0; at < due.length; at += PAGE) {
      const page = due.slice(at, at + PAGE);
      // Another node may have stored a later use.
      const stored = await this.#stored(page.map(([id]) => id));
      for (const [id, use] of page) {
        if ((stored.get(id) ?? -1) < use.minute) await this.#writeOne(id, use);
        if (this.#uses.peek(id) === use) this.#uses.set(id, { ...use, written: true });
      }
    }
  }

  async #writeOne(id: string, { subject, minute }: Use): Promise<void> {
    const body = { subject, minute };
    if (!(await this.#deps.documents.create(COLLECTION, id, body))) await this.#deps.documents.replace(COLLECTION, id, body);
  }

  async #stored(ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const found = await this.#deps.documents.getMany(COLLECTION, ids);
    return new Map(found.map(({ id, body }) => [id, Number(body.minute)]));
  }
}

import type { Documents, Expected, FindOptions, StoredDocument } from '../../src/stores/documents.ts';

/** Documents made by `create`, in memory, for one collection, as running streams need them. Counts its calls. */
export class MemoryDocuments
  implements Pick<Documents, 'ensureCollection' | 'create' | 'replace' | 'get' | 'getMany' | 'find' | 'count' | 'remove'>
{
  readonly documents = new Map<string, StoredDocument>();
  creates = 0;
  calls = 0;

  async ensureCollection(): Promise<void> {}

  async create(_: string, id: string, body: StoredDocument['body']): Promise<boolean> {
    this.creates++;
    this.calls++;
    if (this.documents.has(id)) return false;
    this.documents.set(id, { id, position: '', body });
    return true;
  }

  async replace(_: string, id: string, body: StoredDocument['body'], where: Expected = {}): Promise<boolean> {
    this.calls++;
    if (!this.#isAs(id, where)) return false;
    this.documents.set(id, { id, position: '', body });
    return true;
  }

  async get(_: string, id: string): Promise<StoredDocument | null> {
    this.calls++;
    return this.documents.get(id) ?? null;
  }

  async getMany(_: string, ids: readonly string[]): Promise<StoredDocument[]> {
    this.calls++;
    return ids.flatMap((id) => this.documents.get(id) ?? []);
  }

  async find(_: string, { where = {}, skip = 0, limit }: FindOptions): Promise<StoredDocument[]> {
    this.calls++;
    const matching = [...this.documents.values()].filter(({ body }) =>
      Object.entries(where).every(([member, wanted]) => body[member] === wanted),
    );
    return matching.sort((a, b) => (a.id < b.id ? -1 : 1)).slice(skip, skip + limit);
  }

  async count(_: string, where: FindOptions['where'] = {}): Promise<number> {
    return (await this.find(_, { where, limit: this.documents.size })).length;
  }

  async remove(_: string, id: string, where: Expected = {}): Promise<void> {
    this.calls++;
    if (this.#isAs(id, where)) this.documents.delete(id);
  }

  #isAs(id: string, where: Expected): boolean {
    const body = this.documents.get(id)?.body;
    return body !== undefined && Object.entries(where).every(([member, value]) => body[member] === value);
  }
}

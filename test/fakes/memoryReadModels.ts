import { allProjections } from '../../src/projections/all.ts';
import type { ReadModel, ReadModels } from '../../src/projections/readModels.ts';
import { indexedMember, isAllOf, isRange } from '../../src/stores/documentQuery.ts';
import type { Condition, FindOptions } from '../../src/stores/documents.ts';

type Member = string | number | boolean | null;

/** Read models in memory that are always up to date, for tests of reads. Like stores, they filter and sort by indexed members only. */
export class MemoryReadModels implements ReadModels {
  readonly #collections = new Map<string, Map<string, object>>();

  put(projection: string, id: string, document: object): void {
    const collection = this.#collections.get(projection) ?? new Map<string, object>();
    collection.set(id, document);
    this.#collections.set(projection, collection);
  }

  async get<Doc extends object>({ name }: ReadModel<Doc>, id: string): Promise<Doc | null> {
    return (this.#collections.get(name)?.get(id) as Doc | undefined) ?? null;
  }

  getFresh<Doc extends { revision: string }>(model: ReadModel<Doc>, id: string): Promise<Doc | null> {
    return this.get(model, id);
  }

  async find<Doc extends object>(model: ReadModel<Doc>, options: FindOptions): Promise<Doc[]> {
    return this.getMany(model, await this.findIds(model, options));
  }

  async getMany<Doc extends object>({ name }: ReadModel<Doc>, ids: readonly string[]): Promise<Doc[]> {
    return ids.flatMap((id) => (this.#collections.get(name)?.get(id) as Doc | undefined) ?? []);
  }

  async findIds({ name }: { readonly name: string }, { where, orderBy = [], skip = 0, limit }: FindOptions): Promise<string[]> {
    checkIndexed(
      name,
      orderBy.map(({ member }) => member),
    );
    const sorted = this.#matching(name, where).sort(([idA, a], [idB, b]) => {
      for (const { member, direction } of orderBy) {
        const [left, right] = [String(memberOf(a, member)), String(memberOf(b, member))];
        if (left !== right) return (left < right ? -1 : 1) * (direction === 'asc' ? 1 : -1);
      }
      return (idA < idB ? -1 : 1) * (orderBy.at(-1)?.direction === 'desc' ? -1 : 1);
    });
    return sorted.slice(skip, skip + limit).map(([id]) => id);
  }

  async count({ name }: { readonly name: string }, where?: FindOptions['where']): Promise<number> {
    return this.#matching(name, where).length;
  }

  async sum({ name }: { readonly name: string }, member: string, where?: FindOptions['where']): Promise<number> {
    checkIndexed(name, [member]);
    return this.#matching(name, where).reduce((sum, [, document]) => sum + Number(memberOf(document, member)), 0);
  }

  async sumsBy(): Promise<never> {
    throw new Error('no sums by member in memory');
  }

  async search(): Promise<string[]> {
    throw new Error('no full text in memory');
  }

  async isPosition(text: string): Promise<boolean> {
    return /^\d{20}$/.test(text);
  }

  async waitFor(): Promise<boolean> {
    return true;
  }

  keepUp(): boolean {
    return true;
  }

  #matching(projection: string, where: FindOptions['where'] = {}): [string, object][] {
    checkIndexed(projection, Object.keys(where));
    return [...(this.#collections.get(projection) ?? [])].filter(([, document]) =>
      Object.entries(where).every(([member, wanted]) => matches(memberOf(document, member), wanted)),
    );
  }
}

const checkIndexed = (projection: string, members: readonly string[]): void => {
  const spec = allProjections.find(({ name }) => name === projection);
  if (!spec) throw new Error(`no read model ${projection}`);
  for (const member of members) indexedMember(spec, member);
};

const memberOf = (document: object, member: string): Member => (document as Record<string, Member>)[member] ?? null;

const matches = (value: Member, wanted: Condition): boolean => {
  if (isAllOf(wanted)) return false;
  if (!isRange(wanted)) return [wanted].flat().includes(value);
  const { from = '', to } = wanted;
  return typeof value === 'string' && value >= from && (to === undefined || value <= to);
};

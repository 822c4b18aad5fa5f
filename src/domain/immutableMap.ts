import { randomInt } from 'node:crypto';

/** Entries that a leaf may have before it is split by four more bits of their keys' hash. */
const LEAF_ENTRIES = 16;
const BITS = 4;
const WIDTH = 1 << BITS;
/** The largest prime below 2^26: a product of two smaller numbers is exact. */
const PRIME = 67_108_859;
/** A leaf at the last bits of the hash is never split. */
const LAST_SHIFT = 24 - BITS;

type Entry<Value> = readonly [key: string, value: Value];
type Node<Value> =
  | { readonly kind: 'leaf'; readonly entries: readonly Entry<Value>[] }
  | { readonly kind: 'branch'; readonly children: readonly Node<Value>[] };

const EMPTY = { kind: 'leaf', entries: [] } as const;

/**
 * Where the polynomial of a key is evaluated. It is secret and drawn for each process: callers choose the ids of streams, and could give thousands of them
 * the same hash if they knew it.
 */
const POINT = randomInt(PRIME >>> 1, PRIME);

/** The key's UTF-16 code units as a polynomial modulo a prime. Two keys of 36 units have the same hash at 36 points at most. */
const hashOf = (key: string): number => {
  let hash = key.length;
  for (let n = 0; n < key.length; n++) {
    const next = hash * POINT + key.charCodeAt(n);
    // Several times as fast as the operator %, and exact for these numbers.
    hash = next - Math.floor(next / PRIME) * PRIME;
  }
  return hash;
};

const slotOf = (hash: number, shift: number): number => (hash >>> shift) & (WIDTH - 1);

const leafOf = <Value>(entries: readonly Entry<Value>[], shift: number): Node<Value> => {
  if (entries.length <= LEAF_ENTRIES || shift > LAST_SHIFT) return { kind: 'leaf', entries };
  const slots = Array.from({ length: WIDTH }, (): Entry<Value>[] => []);
  for (const entry of entries) slots[slotOf(hashOf(entry[0]), shift)]?.push(entry);
  return { kind: 'branch', children: slots.map((slot) => leafOf(slot, shift + BITS)) };
};

/** The node with another list of entries where the key belongs; all else is shared. */
const changeNode = <Value>(
  node: Node<Value>,
  hash: number,
  shift: number,
  change: (entries: readonly Entry<Value>[]) => readonly Entry<Value>[],
): Node<Value> => {
  if (node.kind === 'leaf') return leafOf(change(node.entries), shift);
  const slot = slotOf(hash, shift);
  return { kind: 'branch', children: node.children.with(slot, changeNode(node.children[slot] ?? EMPTY, hash, shift + BITS, change)) };
};

/**
 * An immutable map by text: `with` and `without` return a new map that shares almost everything with this one, in nearly constant time. For
 * unlimited collections that are folded event by event.
 */
export class ImmutableMap<Value> {
  readonly #root: Node<Value>;

  private constructor(root: Node<Value>) {
    this.#root = root;
  }

  static empty<Value>(): ImmutableMap<Value> {
    return new ImmutableMap<Value>(EMPTY);
  }

  get(key: string): Value | undefined {
    const hash = hashOf(key);
    let node = this.#root;
    for (let shift = 0; node.kind === 'branch'; shift += BITS) node = node.children[slotOf(hash, shift)] ?? EMPTY;
    return node.entries.find(([known]) => known === key)?.[1];
  }

  with(key: string, value: Value): ImmutableMap<Value> {
    const others = (entries: readonly Entry<Value>[]) => entries.filter(([known]) => known !== key);
    return new ImmutableMap(changeNode(this.#root, hashOf(key), 0, (entries) => [...others(entries), [key, value]]));
  }

  without(key: string): ImmutableMap<Value> {
    return new ImmutableMap(changeNode(this.#root, hashOf(key), 0, (entries) => entries.filter(([known]) => known !== key)));
  }

  /** In no particular order. */
  entries(): Entry<Value>[] {
    const found: Entry<Value>[] = [];
    const nodes: Node<Value>[] = [this.#root];
    for (let node = nodes.pop(); node; node = nodes.pop()) {
      if (node.kind === 'leaf') found.push(...node.entries);
      else nodes.push(...node.children);
    }
    return found;
  }
}

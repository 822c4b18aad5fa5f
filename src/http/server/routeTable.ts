import type { Method, Route } from './route.ts';

/** The table's result for a request line. `values` are the undecoded path parameters, in the order of the path. */
export type Match<Entry> =
  | { readonly kind: 'found'; readonly entry: Entry; readonly values: readonly string[] }
  /** The path is known, the method is not. `allow` is the value of the `Allow` header. */
  | { readonly kind: 'wrong method'; readonly allow: string }
  | { readonly kind: 'unknown path' };

interface Node<Entry> {
  readonly fixed: Map<string, Node<Entry>>;
  parameter: Node<Entry> | null;
  readonly methods: Map<string, Entry>;
  allow: string;
}

const newNode = <Entry>(): Node<Entry> => ({ fixed: new Map(), parameter: null, methods: new Map(), allow: '' });

const UNKNOWN = { kind: 'unknown path' } as const;

/**
 * Finds the route of a method and path. A fixed segment takes precedence over a parameter, whatever the order of the list; paths match literally
 * (case, trailing slash). GET also answers HEAD.
 */
export class RouteTable<Entry> {
  readonly #root = newNode<Entry>();

  add(method: Method, path: string, entry: Entry): void {
    let node = this.#root;
    for (const segment of path.split('/').slice(1)) node = segment.startsWith('{') ? parameterOf(node) : fixedOf(node, segment);
    if (node.methods.has(method)) throw new Error(`two routes for ${method} ${path}`);
    node.methods.set(method, entry);
    if (method === 'GET') node.methods.set('HEAD', entry);
    node.allow = [...node.methods.keys(), 'OPTIONS'].sort().join(', ');
  }

  match(method: string, path: string): Match<Entry> {
    const values: string[] = [];
    const node = find(this.#root, path.split('/'), 1, values);
    if (!node) return UNKNOWN;
    const entry = node.methods.get(method);
    return entry ? { kind: 'found', entry, values } : { kind: 'wrong method', allow: node.allow };
  }
}

const parameterOf = <Entry>(node: Node<Entry>): Node<Entry> => {
  node.parameter ??= newNode();
  return node.parameter;
};

const fixedOf = <Entry>(node: Node<Entry>, segment: string): Node<Entry> => {
  const child = node.fixed.get(segment) ?? newNode<Entry>();
  node.fixed.set(segment, child);
  return child;
};

const find = <Entry>(node: Node<Entry>, segments: readonly string[], index: number, values: string[]): Node<Entry> | null => {
  const segment = segments[index];
  if (segment === undefined) return node.methods.size > 0 ? node : null;
  const fixed = node.fixed.get(segment);
  const found = fixed && find(fixed, segments, index + 1, values);
  if (found) return found;
  if (!node.parameter || segment === '') return null;
  values.push(segment);
  const below = find(node.parameter, segments, index + 1, values);
  if (!below) values.pop();
  return below;
};

/** The names in a path's braces, in order. */
export const parameterNames = (path: Route['path']): string[] => [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '');

import { signal } from '@preact/signals';

/** The reader's place: the part of the address after the `#`. */
export interface Place {
  readonly segments: readonly string[];
  readonly query: URLSearchParams;
}

const read = (): Place => {
  const [path = '', query = ''] = location.hash.replace(/^#\/?/, '').split('?', 2);
  return { segments: path.split('/').filter(Boolean).map(decoded), query: new URLSearchParams(query) };
};

const decoded = (segment: string): string => {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
};

export const place = signal<Place>(read());

addEventListener('hashchange', () => {
  place.value = read();
});

type Query = Readonly<Record<string, string | number | readonly string[] | null | undefined>>;

/** The address of a place. Empty members of the query are left out; a list is repeated. */
export const href = (segments: readonly string[], query: Query = {}): string => {
  const given = Object.entries(query).flatMap(([name, value]) =>
    [value ?? ''].flat().flatMap((one) => (one === '' ? [] : [[name, String(one)]])),
  );
  const search = new URLSearchParams(given).toString();
  return `#/${segments.map(encodeURIComponent).join('/')}${search && `?${search}`}`;
};

/** Goes to a place; the browser's Back comes back from it. */
export const go = (segments: readonly string[], query: Query = {}): void => {
  location.hash = href(segments, query);
};

/** Every member of a query with its values. */
export const membersOf = (query: URLSearchParams): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries([...new Set(query.keys())].map((name) => [name, query.getAll(name)]));

/** Changes the query of the present place, without a step in the browser's history. */
export const refine = (query: Query): void => {
  const { segments, query: now } = place.value;
  history.replaceState(null, '', href(segments, { ...membersOf(now), ...query }));
  place.value = read();
};

export type QueryValue = string | number | boolean | null | undefined;

/** Empty members are left out; a list is repeated. */
export type Query = Readonly<Record<string, QueryValue | readonly string[]>>;

/** Path and query of an operation. */
export const addressOf = (path: string, query: Query = {}): string => {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value])
      if (one !== null && one !== undefined && one !== '') search.append(name, String(one));
  }
  const text = search.toString();
  return text === '' ? path : `${path}?${text}`;
};

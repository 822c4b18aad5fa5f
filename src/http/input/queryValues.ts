import type { Json } from '../../json.ts';

/** Query values that the route's schemas have already checked and converted, with their types. */
type Query = Readonly<Record<string, Json>>;

export const textValue = (query: Query, name: string): string | undefined => {
  const value = query[name];
  return typeof value === 'string' ? value : undefined;
};

export const numberValue = (query: Query, name: string): number | undefined => {
  const value = query[name];
  return typeof value === 'number' ? value : undefined;
};

export const flagValue = (query: Query, name: string): boolean => query[name] === true;

/** Empty items (`?tags=a,,b`) are dropped; each value appears once, in the given order. */
export const listValue = (query: Query, name: string): string[] => {
  const value = query[name];
  return Array.isArray(value) ? [...new Set(value.filter((item): item is string => typeof item === 'string' && item !== ''))] : [];
};

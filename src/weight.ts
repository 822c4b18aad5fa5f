/** What a value costs in memory beside its text: V8 takes 20 to 80 bytes for each. */
const VALUE_BYTES = 64;
/** Smaller objects are weighed again, which costs less than remembering them. */
const REMEMBERED_FROM_BYTES = 4_096;

/** A value of this weight takes some milliseconds to check, copy or write. */
export const HEAVY_BYTES = 262_144;

const weights = new WeakMap<object, number>();

/** In half the time that a list of the members would take. */
const weightOfMembers = (value: object): number => {
  let weight = 0;
  for (const name in value) if (Object.hasOwn(value, name)) weight += name.length + weightOf(Reflect.get(value, name));
  return weight;
};

/**
 * About how many bytes a value takes in memory. JSON of empty objects takes twenty times its length, so lengths of JSON are no bound. Weights of large
 * objects are remembered: give it only values that never change.
 */
export const weightOf = (value: unknown): number => {
  if (typeof value === 'string') return VALUE_BYTES + value.length;
  if (typeof value !== 'object' || value === null) return VALUE_BYTES;
  const known = weights.get(value);
  if (known !== undefined) return known;
  let weight = VALUE_BYTES;
  if (Array.isArray(value) || value instanceof Set) for (const item of value) weight += weightOf(item);
  else if (value instanceof Map) for (const [name, member] of value) weight += weightOf(name) + weightOf(member);
  else weight += weightOfMembers(value);
  if (weight >= REMEMBERED_FROM_BYTES) weights.set(value, weight);
  return weight;
};

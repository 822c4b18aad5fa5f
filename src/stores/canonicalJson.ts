/** Caches the JSON text of member names, which repeat. Bounded, so that callers cannot fill memory with names. */
const quotedNames = new Map<string, string>();
const REMEMBERED_NAMES = 500;

const quoted = (name: string): string => {
  const known = quotedNames.get(name);
  if (known !== undefined) return known;
  const text = JSON.stringify(name);
  if (quotedNames.size < REMEMBERED_NAMES && name.length < 64) quotedNames.set(name, text);
  return text;
};

const FEW = 24;

/** By UTF-16 code units, in place. Objects read from the log are mostly in order already. For few members, this takes half the time of `sort`. */
const inOrder = (keys: string[]): string[] => {
  if (keys.length > FEW) return keys.every((key, i) => i === 0 || (keys[i - 1] ?? '') < key) ? keys : keys.sort();
  for (let i = 1; i < keys.length; i++) {
    const key = keys[i] ?? '';
    let j = i - 1;
    for (let other = keys[j]; other !== undefined && other > key; other = keys[j]) {
      keys[j + 1] = other;
      j -= 1;
    }
    keys[j + 1] = key;
  }
  return keys;
};

/**
 * RFC 8785 (JCS): members in the order of their UTF-16 code units, no white space, numbers and strings as ECMAScript writes them. Leaves out
 * `undefined` members, as JSON does, and the outermost member `without`. Throws on values that JSON cannot represent. Tested against the package
 * `canonicalize`.
 */
export const canonicalJson = (value: unknown, without?: string): string => {
  if (value === null || typeof value !== 'object') {
    if (typeof value === 'number' && !Number.isFinite(value)) throw new Error(`${value} is not JSON`);
    const text = JSON.stringify(value);
    if (text === undefined) throw new Error(`${typeof value} is not JSON`);
    return text;
  }
  if (Array.isArray(value)) {
    let text = '[';
    for (let i = 0; i < value.length; i++) text += (i === 0 ? '' : ',') + canonicalJson(value[i] ?? null);
    return `${text}]`;
  }
  // Only objects are left.
  const members = value as Record<string, unknown>;
  let text = '{';
  for (const key of inOrder(Object.keys(members))) {
    const member = members[key];
    if (member !== undefined && key !== without) text += `${text.length === 1 ? '' : ','}${quoted(key)}:${canonicalJson(member)}`;
  }
  return `${text}}`;
};

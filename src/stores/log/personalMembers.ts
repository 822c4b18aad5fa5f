import { createCipheriv, createDecipheriv } from 'node:crypto';
import { isJsonObject, type Json, type JsonObject, type JsonSchema } from '../../json.ts';
import { pooledRandomBytes } from '../../randomPool.ts';

/** Paths of the personal members in an event's data, as marked in its schema. */
export type PersonalTree =
  | { readonly kind: 'personal' }
  | {
      readonly kind: 'object';
      readonly members: readonly (readonly [name: string, tree: PersonalTree])[];
      readonly others: PersonalTree | null;
    }
  | { readonly kind: 'list'; readonly items: PersonalTree };

/** `null` if nothing has the mark. Reads `properties`, `additionalProperties` and `items`. */
export const personalTree = (schema: JsonSchema, mark: 'personal' | 'secret' = 'personal'): PersonalTree | null => {
  if (schema[mark] === true) return { kind: 'personal' };
  if (isJsonObject(schema.items)) {
    const items = personalTree(schema.items, mark);
    return items && { kind: 'list', items };
  }
  const members: [string, PersonalTree][] = [];
  for (const [name, member] of Object.entries(isJsonObject(schema.properties) ? schema.properties : {})) {
    const tree = isJsonObject(member) ? personalTree(member, mark) : null;
    if (tree) members.push([name, tree]);
  }
  const others = isJsonObject(schema.additionalProperties) ? personalTree(schema.additionalProperties, mark) : null;
  return members.length > 0 || others ? { kind: 'object', members, others } : null;
};

type Change = (value: Json, path: string) => Json;

/** A copy of `value` with each non-null personal member replaced; `path` is its JSON pointer. */
const replaced = (tree: PersonalTree, value: Json | undefined, path: string, change: Change): Json | undefined => {
  if (value === null || value === undefined) return value;
  if (tree.kind === 'personal') return change(value, path);
  if (tree.kind === 'list') {
    return Array.isArray(value) ? value.map((item, i) => replaced(tree.items, item, `${path}/${i}`, change) ?? null) : value;
  }
  return isJsonObject(value) ? replacedMembers(tree, value, path, change) : value;
};

const replacedMembers = (tree: Extract<PersonalTree, { kind: 'object' }>, value: JsonObject, path: string, change: Change): JsonObject => {
  const copy: JsonObject = { ...value };
  const set = (name: string, member: PersonalTree): void => {
    const changed = Object.hasOwn(value, name) ? replaced(member, value[name], `${path}/${name}`, change) : undefined;
    // Defines the member on the copy itself: a member named `__proto__` must not set the prototype.
    if (changed !== undefined) copy[name] = changed;
  };
  for (const [name, member] of tree.members) set(name, member);
  if (tree.others) {
    for (const name of Object.keys(value)) if (!tree.members.some(([known]) => known === name)) set(name, tree.others);
  }
  return copy;
};

/** The stored form: base64 of a 12-byte nonce, the ciphertext, and a 16-byte tag. */
const isSealed = (value: Json): value is { $personal: string } =>
  isJsonObject(value) && typeof value.$personal === 'string' && Object.keys(value).length === 1;

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Bound to its event and path: a moved ciphertext cannot be decrypted. */
const boundTo = (eventId: string, path: string): Buffer => Buffer.from(`${eventId} ${path}`);

const seal = (key: Buffer, eventId: string, value: Json, path: string): Json => {
  const nonce = pooledRandomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(boundTo(eventId, path));
  const sealed = Buffer.concat([nonce, cipher.update(JSON.stringify(value), 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return { $personal: sealed.toString('base64') };
};

const open = (key: Buffer, eventId: string, value: { $personal: string }, path: string): Json => {
  const sealed = Buffer.from(value.$personal, 'base64');
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
      .setAAD(boundTo(eventId, path))
      .setAuthTag(sealed.subarray(sealed.length - TAG_BYTES));
    const text = decipher.update(sealed.subarray(NONCE_BYTES, sealed.length - TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`event ${eventId}: the personal member ${path} cannot be decrypted. It was changed, or encrypted with another key`, {
      cause: error,
    });
  }
};

/** Encrypts each personal member with AES-256-GCM; `null` instead if the key is destroyed. */
export const sealPersonal = (tree: PersonalTree, data: JsonObject, eventId: string, key: Buffer | null): JsonObject =>
  asObject(replaced(tree, data, '', (value, path) => (key ? seal(key, eventId, value, path) : null)));

/** Decrypts; erased members are `null`. Throws on a member that was tampered with. */
export const openPersonal = (tree: PersonalTree, data: JsonObject, eventId: string, key: Buffer | null): JsonObject =>
  asObject(replaced(tree, data, '', (value, path) => (isSealed(value) ? (key ? open(key, eventId, value, path) : null) : value)));

/** Puts `***` in the place of each member. */
export const hideMembers = (tree: PersonalTree, data: JsonObject): JsonObject => asObject(replaced(tree, data, '', () => '***'));

const asObject = (value: Json | undefined): JsonObject => {
  if (value === undefined || !isJsonObject(value)) throw new Error('an event whose whole data is personal');
  return value;
};

/** For data of an older version, whose schema no longer exists: decrypts sealed members wherever they are. */
export const openPersonalAnywhere = (data: JsonObject, eventId: string, key: Buffer | null): JsonObject => {
  const opened = (value: Json, path: string): Json => {
    if (isSealed(value)) return key ? open(key, eventId, value, path) : null;
    if (Array.isArray(value)) return value.map((item, i) => opened(item, `${path}/${i}`));
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, opened(member, `${path}/${name}`)]));
  };
  return asObject(opened(data, ''));
};

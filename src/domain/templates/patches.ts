import jsonpatch, { type Operation } from 'fast-json-patch';
import { isJsonObject, type Json, type JsonObject } from '../../json.ts';
import { Problem } from '../problem.ts';

/**
 * Patches of one processor's properties (`docs/guides/templates.md`). A patch comes as a JSON Patch item, as a member of a `patches` map or as a query
 * parameter; all become `RequestedPatch`.
 */

export type PatchOp = 'add' | 'replace' | 'remove';

export interface RequestedPatch {
  readonly op: PatchOp;
  /** As given: `/a/b/c`, `a/b/c`, `a.b.c`, or an alias. */
  readonly path: string;
  /** Absent for `remove`. */
  readonly value?: Json;
  /** Whether text is converted to the schema's type: in the query and in a map, but not in a JSON Patch. */
  readonly coerce: boolean;
}

/** Members that would reach an object's prototype. */
const UNSAFE_MEMBERS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);
const MAX_DEPTH = 32;
/** Of a longer path, only the beginning is read: it is not safe. */
const READ_SEGMENTS = MAX_DEPTH + 2;
const MAX_SHOWN = 1_000;

/** Splits at slashes, or at dots if there is no slash; unescapes `~1` and `~0`. Stops after `READ_SEGMENTS`, enough to refuse a path that is too deep. */
export const pathSegments = (path: string): string[] => {
  const pieces = path.includes('/') ? path.slice(path.startsWith('/') ? 1 : 0).split('/', READ_SEGMENTS) : path.split('.', READ_SEGMENTS);
  return path.includes('~') ? pieces.map((piece) => piece.replaceAll('~1', '/').replaceAll('~0', '~')) : pieces;
};

/** The error of every refused patch: `Forbidden patch: /langs`. */
export const forbiddenPatch = (path: string, nested: readonly Problem[] = []): Problem => {
  const slashed = path.startsWith('/') ? path : `/${path.includes('/') ? path : path.replaceAll('.', '/')}`;
  return new Problem('STREAM_CONFIGURATION_BAD_PATCH', `Forbidden patch: ${slashed.slice(0, MAX_SHOWN)}`, { nested });
};

/** Whether the path is short enough and avoids prototypes. */
export const isSafePath = (segments: readonly string[]): boolean =>
  segments.length <= MAX_DEPTH && !segments.some((segment) => UNSAFE_MEMBERS.has(segment));

const isScalar = (value: unknown): value is string | number | boolean | null =>
  value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

/** A string, number, boolean, null, or an array of those. */
const isPatchValue = (value: unknown): value is Json => isScalar(value) || (Array.isArray(value) && value.every(isScalar));

const parsedText = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw new Problem(
      'STREAM_CONFIGURATION_BAD_PATCH',
      'A patch given as text is not valid JSON. It must be {op, path, value} or a list of these.',
    );
  }
};

const jsonPatch = (item: unknown): RequestedPatch => {
  if (!isJsonObject(item) || typeof item.path !== 'string') throw forbiddenPatch('/');
  const { op, path, value } = item;
  if (op === 'remove') return { op, path, coerce: false };
  if ((op !== 'add' && op !== 'replace') || !isPatchValue(value)) throw forbiddenPatch(path);
  return { op, path, value, coerce: false };
};

/** Items `{op, path, value}`, one or a list; an item may be text that contains such an object or list. */
export const patchesOfJson = (input: unknown): RequestedPatch[] =>
  (Array.isArray(input) ? input : [input]).flatMap((item) => {
    if (typeof item !== 'string') return [jsonPatch(item)];
    const held = parsedText(item);
    return (Array.isArray(held) ? held : [held]).map(jsonPatch);
  });

/** `v` replaces, `+v` adds, `-` removes; a backslash escapes a leading `+` or `-`. */
export const patchOfText = (path: string, text: string): RequestedPatch => {
  if (text === '-') return { op: 'remove', path, coerce: true };
  if (text.startsWith('+')) return { op: 'add', path, value: text.slice(1), coerce: true };
  return { op: 'replace', path, value: unescapedText(text), coerce: true };
};

const unescapedText = (text: string): string => (text.startsWith('\\+') || text.startsWith('\\-') ? text.slice(1) : text);

/** A key with all its values. A repeated key, or one that says so (`isList`), makes a list, which allows neither `+` nor `-`. */
export const patchOfValues = (path: string, values: readonly string[], isList = values.length > 1): RequestedPatch => {
  const [first] = values;
  if (first !== undefined && !isList) return patchOfText(path, first);
  if (values.some((value) => value === '-' || value.startsWith('+'))) throw forbiddenPatch(path);
  return { op: 'replace', path, value: values.map(unescapedText), coerce: true };
};

/** A `patches` map of a configuration part or message: path or alias to value, with text as in the query. */
export const patchesOfMap = (map: Readonly<Record<string, unknown>>): RequestedPatch[] =>
  Object.entries(map).map(([path, value]) => {
    if (typeof value === 'string') return patchOfText(path, value);
    if (!isPatchValue(value)) throw forbiddenPatch(path);
    return { op: 'replace', path, value, coerce: true };
  });

type Container = JsonObject | Json[];

const isContainer = (value: Json | undefined): value is Container => typeof value === 'object' && value !== null;

const indexOf = (member: string): number => (/^(0|[1-9]\d{0,8})$/.test(member) ? Number(member) : -1);

const child = (container: Container, member: string): Json | undefined => {
  if (Array.isArray(container)) return container[indexOf(member)];
  return Object.hasOwn(container, member) ? container[member] : undefined;
};

/** The container of the last member, with missing parents created; `null` if a value is in the way. */
const parentOf = (root: JsonObject, members: readonly string[], create: boolean): Container | null => {
  let container: Container = root;
  for (const member of members.slice(0, -1)) {
    let next = child(container, member);
    if (next === undefined && create && !Array.isArray(container)) {
      next = {};
      container[member] = next;
    }
    if (!isContainer(next)) return null;
    container = next;
  }
  return container;
};

/** The JSON Patch operation: a `replace` of a missing member is an `add`. `null` if RFC 6902 does not allow it, or the library does not check it. */
const operationOn = (parent: Container, member: string, op: PatchOp, value: Json): Operation | null => {
  const there = child(parent, member) !== undefined;
  const path = `/${jsonpatch.escapePathComponent(member)}`;
  if (op === 'remove') return there ? { op, path } : null;
  if (Array.isArray(parent) && member !== '-' && (indexOf(member) < 0 || indexOf(member) > parent.length)) return null;
  return { op: there ? op : 'add', path, value: Array.isArray(value) ? [...value] : value };
};

/**
 * Changes `properties` in place (pass a copy). `members` is a safe path of at least one member below the properties. `false` if the path does not
 * resolve: a removed member is missing, an index is out of range, or a value is in the way.
 */
export const applyToProperties = (properties: JsonObject, members: readonly string[], op: PatchOp, value: Json = null): boolean => {
  const parent = parentOf(properties, members, op !== 'remove');
  const last = members.at(-1);
  const operation = parent && last !== undefined ? operationOn(parent, last, op, value) : null;
  if (!parent || !operation) return false;
  jsonpatch.applyOperation<unknown>(parent, operation, false, true, true);
  return true;
};

import { notFound } from '../../domain/problem.ts';
import { decodePercent } from '../input/percent.ts';
import { idOf } from '../input/uuid.ts';

/** Path and query of a request target, undecoded; the origin of an absolute one (from proxies) is dropped. */
export const targetOf = (target: string): { path: string; rawQuery: string } => {
  const relative = target.startsWith('/') || target === '*' ? target : target.replace(/^[a-z]+:\/\/[^/?#]*/i, '');
  const hash = relative.indexOf('#');
  const url = hash < 0 ? relative : relative.slice(0, hash);
  const mark = url.indexOf('?');
  return mark < 0 ? { path: url, rawQuery: '' } : { path: url.slice(0, mark), rawQuery: url.slice(mark + 1) };
};

// biome-ignore lint/suspicious/noControlCharactersInRegex: no id holds one, and no store should be asked for one
const IMPOSSIBLE = /[\u0000-\u001f\u007f]/;
const MAX_LENGTH = 1_024;

/** Path parameters by name, UUIDs in lower case. An id that cannot exist (broken encoding, control characters, huge) is 404 like one that does not. */
export const decodeParameters = (names: readonly string[], values: readonly string[]): Readonly<Record<string, string>> => {
  const params: Record<string, string> = {};
  for (const [index, name] of names.entries()) {
    const value = decodePercent(values[index] ?? '');
    if (value === null || value.length > MAX_LENGTH || IMPOSSIBLE.test(value)) throw notFound('resource');
    params[name] = idOf(value);
  }
  return params;
};

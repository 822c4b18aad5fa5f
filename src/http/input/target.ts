import { notFound } from '../../domain/problem.ts';
import { RawQuery } from '../query/rawQuery.ts';
import { idOf, isUuid } from './uuid.ts';

export interface Target {
  /** Undecoded. */
  readonly path: string;
  readonly rawQuery: RawQuery;
}

/** Path and query of a request target; the origin of an absolute one (from proxies) is dropped. */
export const targetOf = (target: string): Target => {
  const relative = target.startsWith('/') || target === '*' ? target : target.replace(/^[a-z]+:\/\/[^/?#]*/i, '');
  const hash = relative.indexOf('#');
  const url = hash < 0 ? relative : relative.slice(0, hash);
  const mark = url.indexOf('?');
  return mark < 0 ? { path: url, rawQuery: NONE } : { path: url.slice(0, mark), rawQuery: new RawQuery(url.slice(mark + 1)) };
};

const NONE = new RawQuery('');

// biome-ignore lint/suspicious/noControlCharactersInRegex: no id holds one, and no store should be asked for one
const IMPOSSIBLE = /[\u0000-\u001f\u007f]/;
const MAX_LENGTH = 1_024;

/** Path parameters that are UUIDs, and the name of their resource in its 404. */
const UUIDS: Readonly<Record<string, string>> = { streamId: 'stream', groupId: 'group', userId: 'person', requestId: 'bulk rerun' };

/** Path parameters by name, UUIDs in lower case. An id that cannot exist (no UUID, control characters, huge) is 404 like one that does not. */
export const checkedParameters = (params: Readonly<Record<string, string | string[]>>): Readonly<Record<string, string>> => {
  const checked: Record<string, string> = {};
  for (const [name, value] of Object.entries(params)) {
    if (typeof value !== 'string' || value.length > MAX_LENGTH || IMPOSSIBLE.test(value)) throw notFound('resource');
    const resource = UUIDS[name];
    if (resource !== undefined && !isUuid(value)) throw notFound(resource);
    checked[name] = idOf(value);
  }
  return checked;
};

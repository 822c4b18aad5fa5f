import { getJson, send } from '../../../api/request.ts';
import type { PageOf } from '../../../api/types.ts';
import { type Resource, useResource } from '../../../api/useResource.ts';
import { STREAMS } from '../streams.ts';
import { dayEnd, dayStart } from './dayEdge.ts';

const PATH = `${STREAMS}/rerun`;
const NEWEST = 5;
const RUNNING_MILLISECONDS = 2_000;

/** Many streams that run again, one after the other. */
export interface BulkRerun {
  readonly requestId: string;
  readonly state: 'RUNNING' | 'COMPLETED' | 'CANCELED';
  readonly from: string | null;
  readonly reason: string | null;
  readonly queued: number;
  readonly waiting: number;
  readonly started: number;
  readonly refused: number;
  readonly refusals: readonly { readonly streamId: string; readonly message: string | null }[];
}

/** As a form holds it: empty for everything. */
export interface ManyDraft {
  readonly state: string;
  readonly template: string;
  readonly since: string;
  readonly until: string;
  readonly errorName: string;
  readonly group: string;
  readonly from: string;
  readonly reason: string;
}

/** The matches of a filter; empty members match everything. */
export const filterOf = ({ state, template, since, until, errorName, group }: ManyDraft): Readonly<Record<string, string>> => {
  const members: Readonly<Record<string, string | null>> = {
    state,
    streamConfigurationTemplateId: template,
    since: dayStart(since),
    until: dayEnd(until),
    errorName: errorName.trim(),
    groupId: group.trim(),
  };
  return Object.fromEntries(Object.entries(members).flatMap(([name, value]) => (value ? [[name, value]] : [])));
};

/** The newest bulk reruns, read often while one of them runs. */
export const useBulkReruns = (): Resource<readonly BulkRerun[]> =>
  useResource({
    key: PATH,
    load: async (signal) => (await getJson<PageOf<BulkRerun>>(PATH, { query: { size: NEWEST }, signal })).content,
    every: (reruns) => (reruns?.some(({ state }) => state === 'RUNNING') ? RUNNING_MILLISECONDS : null),
  });

/** `dryRun` only counts. */
export const rerunMany = (draft: ManyDraft, dryRun: boolean, signal?: AbortSignal) =>
  send<{ matched: number; started: number }>('POST', PATH, {
    body: {
      filter: filterOf(draft),
      ...(draft.from.trim() && { from: draft.from.trim() }),
      ...(draft.reason.trim() && { reason: draft.reason.trim() }),
      dryRun,
    },
    signal,
  });

export const stopBulkRerun = (requestId: string) => send<void>('DELETE', `${PATH}/${requestId}`);

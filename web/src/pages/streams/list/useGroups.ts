import { getJson } from '../../../api/request.ts';
import type { ListedStream, PageOf } from '../../../api/types.ts';
import { useResource } from '../../../api/useResource.ts';
import { shortId } from '../../../parts/CopyText.tsx';
import { counted } from '../../../parts/format.ts';
import { STREAMS } from '../streams.ts';

// Groups are found among the newest streams.
const NEWEST = 100;

/** The caller's newest groups as choices: a group is named by its first stream, with the number of its streams among the newest. */
export const useGroups = (): readonly (readonly [groupId: string, shown: string])[] => {
  const { data } = useResource({
    key: 'groups',
    load: (signal) => getJson<PageOf<ListedStream>>(STREAMS, { query: { size: NEWEST }, signal }),
  });
  const groups = Map.groupBy(data?.content ?? [], ({ groupId }) => groupId);
  return [...groups].map(([groupId, streams]) => {
    const first = streams.at(-1);
    return [groupId, `${first?.name ?? shortId(groupId)} (${counted(streams.length, 'stream')})`] as const;
  });
};

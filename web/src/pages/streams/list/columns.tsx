import { nameOf } from '../../../api/templates.ts';
import type { ListedStream, Stream, Template } from '../../../api/types.ts';
import { CopyText, shortId } from '../../../parts/CopyText.tsx';
import type { Column } from '../../../parts/DataTable.tsx';
import { FailureInList } from '../../../parts/FailureNote.tsx';
import { hasFailed } from '../../../parts/failure.ts';
import { clockTime, duration } from '../../../parts/format.ts';
import { StateBadge } from '../../../parts/StateBadge.tsx';
import { Time } from '../../../parts/Time.tsx';
import { href } from '../../../shell/place.ts';
import type { Selection } from './useSelection.ts';

const none = <span class="quiet">–</span>;

/** The columns of a stream in the list. */
export const columnsOf = (templates: readonly Template[] | undefined, selection: Selection): readonly Column<ListedStream>[] => [
  {
    header: 'Name',
    cell: ({ streamId, name }) => (
      <span class="row-choice">
        <input
          type="checkbox"
          aria-label={`Select ${titleOf({ streamId, name })}`}
          checked={selection.has(streamId)}
          onChange={(event) => selection.choose([streamId], event.currentTarget.checked)}
        />
        <a href={href(['streams', streamId])}>{titleOf({ streamId, name })}</a>
      </span>
    ),
  },
  {
    header: 'State',
    cell: (stream) => (
      <>
        <StateBadge state={stream.state} />
        {hasFailed(stream) && <FailureInList stream={stream} advice={stream.advice} />}
      </>
    ),
  },
  { header: 'Template', cell: ({ configuration }) => nameOf(templates, configuration.streamConfigurationTemplateId) },
  { header: 'Created', cell: ({ createdTimestamp }) => <Time at={createdTimestamp} /> },
  { header: 'Took', numeric: true, cell: tookOf },
  { header: 'Audio', numeric: true, cell: ({ audioLength }) => (audioLength === null ? none : clockTime(audioLength)) },
  { header: 'Credits', numeric: true, cell: ({ credits }) => <span title={`${credits} credits`}>{creditsInShort(credits)}</span> },
  {
    header: 'Group',
    cell: ({ groupId, streamId }) => (groupId === streamId ? none : <CopyText text={groupId} label="group id" shown={shortId(groupId)} />),
  },
];

const titleOf = ({ streamId, name }: Pick<Stream, 'streamId' | 'name'>): string => name ?? shortId(streamId);

const tookOf = ({ createdTimestamp, finalizedTimestamp }: Stream) =>
  finalizedTimestamp ? duration(Date.parse(finalizedTimestamp) - Date.parse(createdTimestamp)) : <span class="quiet">…</span>;

const SMALLEST = 0.0001;

/** Four decimals are enough to compare by; the title has the exact number. */
const creditsInShort = (credits: string): string => {
  const value = Number(credits);
  if (value === 0) return '0';
  return value < SMALLEST ? `< ${SMALLEST}` : String(Number(value.toFixed(4)));
};

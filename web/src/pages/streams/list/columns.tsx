import { nameOf } from '../../../api/templates.ts';
import type { ListedStream, Stream, Template } from '../../../api/types.ts';
import { shortId } from '../../../parts/CopyText.tsx';
import type { Column } from '../../../parts/DataTable.tsx';
import { failureReason, failureTitle, hasFailed } from '../../../parts/failure.ts';
import { clockTime } from '../../../parts/format.ts';
import { StateBadge } from '../../../parts/StateBadge.tsx';
import { Time } from '../../../parts/Time.tsx';
import { href, refine } from '../../../shell/place.ts';
import type { Selection } from './useSelection.ts';

/** The columns of a stream in the list: at most two lines a row. */
export const columnsOf = (templates: readonly Template[] | undefined, selection: Selection): readonly Column<ListedStream>[] => [
  {
    header: 'Name',
    cell: (stream) => (
      <span class="row-choice">
        <input
          type="checkbox"
          aria-label={`Select ${titleOf(stream)}`}
          checked={selection.has(stream.streamId)}
          onChange={(event) => selection.choose([stream.streamId], event.currentTarget.checked)}
        />
        <span class="two-lines">
          <a class="one-line" href={href(['streams', stream.streamId])}>
            {titleOf(stream)}
          </a>
          <SecondLine stream={stream} />
        </span>
      </span>
    ),
  },
  { header: 'State', cell: ({ state }) => <StateBadge state={state} /> },
  {
    header: 'Length',
    numeric: true,
    cell: ({ audioLength }) => (audioLength === null ? '' : clockTime(audioLength)),
  },
  { header: 'Created', cell: ({ createdTimestamp }) => <Time at={createdTimestamp} /> },
  {
    header: 'Template',
    wide: true,
    cell: ({ configuration }) => <OneLine text={nameOf(templates, configuration.streamConfigurationTemplateId)} />,
  },
  {
    header: 'Credits',
    hint: 'What processing it has cost, by the rates of this server. Usage shows the sums.',
    wide: true,
    numeric: true,
    cell: ({ credits }) => <span title={`${credits} credits`}>{creditsInShort(credits)}</span>,
  },
];

const OneLine = ({ text }: { readonly text: string }) => (
  <span class="one-line" title={text}>
    {text}
  </span>
);

/** Why a stream failed, or its labels and its group. */
const SecondLine = ({ stream }: { readonly stream: ListedStream }) => {
  const { streamId, groupId, labels, advice } = stream;
  if (hasFailed(stream)) {
    const reason = `${failureTitle(stream)}: ${failureReason(stream)}`;
    return (
      <span class="one-line quiet small" title={`${reason} ${advice ?? ''}`}>
        {reason}
      </span>
    );
  }
  if (labels.length === 0 && groupId === streamId) return null;
  return (
    <span class="one-line small">
      {labels.map((label) => (
        <span key={label} class="tag">
          {label}
        </span>
      ))}{' '}
      {groupId !== streamId && (
        <button type="button" class="link" onClick={() => refine({ group: groupId, page: null })}>
          Show its group
        </button>
      )}
    </span>
  );
};

const titleOf = ({ streamId, name }: Pick<Stream, 'streamId' | 'name'>): string => name ?? shortId(streamId);

const SMALLEST = 0.0001;

/** Four decimals are enough to compare by; the title has the exact number. */
const creditsInShort = (credits: string): string => {
  const value = Number(credits);
  if (value === 0) return '0';
  return value < SMALLEST ? `< ${SMALLEST}` : String(Number(value.toFixed(4)));
};

import { getJson } from '../../../api/request.ts';
import type { PageOf } from '../../../api/types.ts';
import { useResource } from '../../../api/useResource.ts';
import { Pager } from '../../../parts/DataTable.tsx';
import { clockTime, counted } from '../../../parts/format.ts';
import { Empty, Loaded } from '../../../parts/Notes.tsx';
import { Time } from '../../../parts/Time.tsx';
import { href, refine } from '../../../shell/place.ts';

interface FoundStream {
  readonly streamId: string;
  readonly name: string | null;
  readonly labels: readonly string[];
  readonly createdTimestamp: string;
  readonly duration: number | null;
  readonly hits: number;
  readonly passages: readonly Passage[];
}

interface Passage {
  readonly kind: 'transcript' | 'summary' | 'answer' | 'text' | 'name';
  readonly speaker: string | null;
  readonly start: number | null;
  readonly text: string;
  /** Start and end of what was found, as offsets in the text. */
  readonly marks: readonly (readonly [number, number])[];
}

const SEARCH = '/export-service/api/v1/search';
const SIZE = 20;

type Wanted = Readonly<Record<string, string | number | readonly string[] | null>>;

/** The streams in which every word was found, best first, with passages that lead to their moment. */
export const Found = ({ wanted, page }: { readonly wanted: Wanted; readonly page: number }) => {
  const query = { ...wanted, page, size: SIZE };
  const found = useResource({
    key: JSON.stringify(query),
    load: (signal) => getJson<PageOf<FoundStream>>(SEARCH, { query, signal }),
  });
  return (
    <div class="card flush">
      <Loaded resource={found}>
        {(result) =>
          result.content.length === 0 ? (
            <Empty title="Nothing was found.">
              Every word must occur in the stream. Use "quotes" for a phrase, a minus before a word to exclude it, and a star for the
              beginning of a word: refund*.
            </Empty>
          ) : (
            <>
              <ul class="found" aria-label="Found streams">
                {result.content.map((stream) => (
                  <FoundItem key={stream.streamId} stream={stream} />
                ))}
              </ul>
              <Pager page={result} onPage={(number) => refine({ page: number || null })} />
            </>
          )
        }
      </Loaded>
    </div>
  );
};

const FoundItem = ({
  stream: { streamId, name, labels, createdTimestamp, duration, hits, passages },
}: {
  readonly stream: FoundStream;
}) => {
  const [best] = passages.filter(({ kind }) => kind === 'transcript');
  const found = best?.text.slice(...(best.marks[0] ?? [0, 0])) ?? '';
  const more = hits - passages.reduce((sum, { marks }) => sum + marks.length, 0);
  return (
    <li>
      <p class="found-head">
        <a href={href(['streams', streamId])}>{name ?? streamId}</a>
        <span class="quiet small">
          {counted(hits, 'hit')} · <Time at={createdTimestamp} /> {duration !== null && `· ${clockTime(duration)}`}
        </span>
        {labels.map((label) => (
          <span key={label} class="tag">
            {label}
          </span>
        ))}
      </p>
      {passages
        .filter(({ kind }) => kind !== 'name')
        .map((passage, n) => (
          <a
            key={n}
            class="passage"
            href={href(['streams', streamId], { t: passage.start === null ? null : Math.floor(passage.start / 1000) })}
          >
            <span class="passage-head quiet small">
              {passage.start === null ? KINDS[passage.kind] : clockTime(passage.start)} {passage.speaker}
            </span>
            <span dir="auto">
              <Marked {...passage} />
            </span>
          </a>
        ))}
      {more > 0 && found !== '' && (
        <a class="passage small" href={href(['streams', streamId], { find: found })}>
          Show all in the transcript
        </a>
      )}
    </li>
  );
};

const KINDS: Readonly<Record<Passage['kind'], string>> = {
  transcript: 'Transcript',
  summary: 'Summary',
  answer: 'Answer',
  text: 'Text',
  name: 'Name',
};

const Marked = ({ text, marks }: Pick<Passage, 'text' | 'marks'>) => (
  <>
    {marks.map(([start, end], n) => (
      <>
        {text.slice(marks[n - 1]?.[1] ?? 0, start)}
        <mark class="hit">{text.slice(start, end)}</mark>
      </>
    ))}
    {text.slice(marks.at(-1)?.[1] ?? 0)}
  </>
);

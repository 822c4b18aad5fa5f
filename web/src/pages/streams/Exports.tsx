import type { Stream } from '../../api/types.ts';
import { Download } from '../../parts/Download.tsx';
import { Menu } from '../../parts/Menu.tsx';
import { isEmpty, type Results } from '../../results/results.ts';

/** Ending and name of each format, documents for people first. */
const FORMATS = {
  DOCX: ['docx', 'Word document'],
  TEXT: ['txt', 'Plain text'],
  MD: ['md', 'Markdown'],
  SRT: ['srt', 'Subtitles'],
  VTT: ['vtt', 'Captions for the web'],
  CSV: ['csv', 'Table'],
  ZIP: ['zip', 'Several files in one'],
  JSON: ['json', 'All results'],
  EVENTS: ['ndjson', 'Messages as stored'],
} as const;
type Format = keyof typeof FORMATS;
const ORDER: readonly string[] = Object.keys(FORMATS);

const SOURCE_ENDINGS: Readonly<Record<string, string>> = { bytes: 'bin', string: 'txt' };

interface ExportsProps {
  readonly stream: Stream;
  /** Contents of the persistent sinks and their number of messages; `null` until all of it has been read. */
  readonly kept: { readonly results: Results; readonly count: number } | null;
  readonly isUploaded: boolean;
  /** The earlier attempt whose transcript is exported; `null`: the newest results. */
  readonly earlier: number | null;
}

/** A button for the results as files, in the formats that have something in them, and for the upload. `null` while there is nothing to export. */
export const Exports = ({ stream, kept, isUploaded, earlier }: ExportsProps) => {
  const { streamId, state, configuration } = stream;
  const formats = earlier === null ? formatsOf(stream, kept) : OF_TRANSCRIPTS;
  if ((state === 'READY' && earlier === null) || state === 'EXPIRED' || (formats.length === 0 && !isUploaded)) return null;
  const isKept = configuration.processors.some(({ egress }) => egress.sink && egress.persist);
  return (
    <Menu label="Export">
      <div class="export-list">
        {formats.map((format) => (
          <Download
            key={format}
            label={`${FORMATS[format][1]} (${format})`}
            path={`/export-service/api/v1/export/${format}`}
            query={{ streams: streamId, attempt: earlier }}
            fileName={`${streamId}.${FORMATS[format][0]}`}
            whenEmpty={`No results in the format ${format}`}
          />
        ))}
        {isUploaded && earlier === null && (
          <Download
            label="The upload itself"
            path={`/stream-service/api/v1/streams/${streamId}/data-source`}
            fileName={`${streamId}-upload.${SOURCE_ENDINGS[configuration.dataSource.messageSchema] ?? 'bin'}`}
            whenEmpty="There are no bytes"
          />
        )}
      </div>
      {!isKept && (
        <p class="hint">This stream was uploaded without keeping its results. It has no exports, and its data are deleted soon.</p>
      )}
      {isKept && kept && formats.length === 0 && <p class="hint">There are no results to export.</p>}
    </Menu>
  );
};

const OF_TRANSCRIPTS: readonly Format[] = ['DOCX', 'TEXT', 'MD', 'SRT', 'VTT', 'CSV', 'JSON'];

/** Captions need times, a table needs speech, the others need results that they can show. Raw bytes are exported as EVENTS only. */
const formatsOf = ({ configuration }: Stream, kept: ExportsProps['kept']): readonly Format[] => {
  const hasRaw = configuration.processors.some(
    ({ egress, destination }) => egress.sink && egress.persist && !destination.messageSchema.includes('.'),
  );
  if (kept === null) return hasRaw ? ['EVENTS'] : [];
  const isSpeech = kept.results.utterances.length > 0;
  const hasTimes = kept.results.utterances.some(({ start, end, text }) => start !== null && end !== null && text.trim() !== '');
  const formats: readonly Format[] = [
    ...(isEmpty(kept.results) ? [] : (['DOCX', 'TEXT', 'MD', 'ZIP', 'JSON'] as const)),
    ...(hasTimes ? (['SRT', 'VTT'] as const) : []),
    ...(isSpeech ? (['CSV'] as const) : []),
    ...(kept.count > 0 || hasRaw ? (['EVENTS'] as const) : []),
  ];
  return formats.toSorted((a, b) => ORDER.indexOf(a) - ORDER.indexOf(b));
};

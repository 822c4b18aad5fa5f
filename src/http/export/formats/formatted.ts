import { messageOf } from '../../../domain/stream/messageFrame.ts';
import { Collected, type StreamResults } from '../../../results/results.ts';
import type { Sink } from '../../../results/sinks.ts';
import type { CollectedFormat } from '../../route/fileTypes.ts';
import { exportSrt, exportVtt, hasCaptions } from '../captions/captions.ts';
import type { CaptionLayout } from '../captions/layout.ts';
import { shifted } from '../shift.ts';
import { exportCsv } from './csv.ts';
import { exportJson } from './json.ts';
import { exportMarkdown } from './markdown.ts';
import { exportText } from './text.ts';

export interface FormatOptions {
  readonly captions: CaptionLayout;
  /** Each recording begins where the one before it ends. */
  readonly shift: boolean;
  /** Whether summaries stand above the transcriptions. */
  readonly summary: boolean;
}

/** The messages of one sink, one JSON text a line. */
export interface SinkContent {
  readonly sink: Sink;
  readonly lines: Uint8Array<ArrayBuffer>;
}

const NEWLINE = 0x0a;

/** The export of some streams as text or bytes; `null` if there is nothing to export. */
export const formatted = async (
  format: CollectedFormat,
  streams: readonly (readonly SinkContent[])[],
  { captions, shift, summary }: FormatOptions,
): Promise<string | Uint8Array | null> => {
  if (streams.length === 0) return null;
  const results = shift ? shifted(streams.map(resultsIn)) : streams.map(resultsIn);
  const documents = summary ? results : results.map(withoutSummary);
  switch (format) {
    case 'JSON':
      return exportJson(results);
    case 'TEXT':
      return exportText(documents);
    case 'SRT':
      return hasCaptions(results) ? exportSrt(results, captions) : null;
    case 'VTT':
      return hasCaptions(results) ? exportVtt(results, captions) : null;
    case 'CSV':
      return exportCsv(results);
    case 'MD':
      return exportMarkdown(documents);
    case 'DOCX':
      // Its library is loaded where it is needed: in a thread.
      return (await import('./docx.ts')).exportDocx(documents);
  }
};

/** Without a transcription, the summary is the text. */
const withoutSummary = (results: StreamResults): StreamResults => (results.transcript ? { ...results, summaries: [] } : results);

const resultsIn = (contents: readonly SinkContent[]): StreamResults => {
  const collected = new Collected(contents.map(({ sink }) => sink));
  for (const { sink, lines } of contents) for (const line of linesIn(lines)) collected.add(sink, messageOf(line));
  return collected.results();
};

function* linesIn(lines: Uint8Array): Generator<Uint8Array> {
  for (let from = 0; from < lines.length; ) {
    const end = lines.indexOf(NEWLINE, from);
    yield lines.subarray(from, end);
    from = end + 1;
  }
}

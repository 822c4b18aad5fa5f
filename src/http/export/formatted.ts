import { messageOf } from '../../processors/messageFrame.ts';
import { exportSrt, exportVtt, hasCues } from './captions.ts';
import { exportJson } from './json.ts';
import type { ExportFormat } from './parameters.ts';
import { Collected, type StreamResults } from './results.ts';
import type { Sink } from './sinks.ts';
import { exportText } from './text.ts';

/** A format that needs all results before it can be written. */
export type CollectedFormat = Exclude<ExportFormat, 'EVENTS'>;

/** The messages of one sink, one JSON text a line. */
export interface SinkContent {
  readonly sink: Sink;
  readonly lines: Uint8Array<ArrayBuffer>;
}

const NEWLINE = 0x0a;

/** The export of some streams as text; `null` if there is nothing to export. */
export const formatted = (format: CollectedFormat, streams: readonly (readonly SinkContent[])[]): string | null => {
  const results = streams.map(resultsIn);
  switch (format) {
    case 'JSON':
      return exportJson(results);
    case 'TEXT':
      return exportText(results);
    case 'SRT':
      return hasCues(results) ? exportSrt(results) : null;
    case 'VTT':
      return hasCues(results) ? exportVtt(results) : null;
  }
};

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

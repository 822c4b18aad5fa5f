/** Body of the threads that make large exports. */
import { move } from 'piscina';
import { type CollectedFormat, formatted, type SinkContent } from './formatted.ts';

export interface ExportJob {
  readonly format: CollectedFormat;
  readonly streams: readonly (readonly SinkContent[])[];
}

/** The export as UTF-8; `null` if there is nothing to export. */
export default ({ format, streams }: ExportJob) => {
  const text = formatted(format, streams);
  return text === null ? null : move(new TextEncoder().encode(text));
};

/** Body of the threads that make large exports. */
import { move } from 'piscina';
import type { CollectedFormat } from '../route/fileTypes.ts';
import { type FormatOptions, formatted, type SinkContent } from './formats/formatted.ts';

export interface ExportJob {
  readonly format: CollectedFormat;
  readonly streams: readonly (readonly SinkContent[])[];
  readonly options: FormatOptions;
}

/** The export as bytes, text in UTF-8; `null` if there is nothing to export. */
export default async ({ format, streams, options }: ExportJob) => {
  const made = await formatted(format, streams, options);
  if (made === null) return null;
  // A buffer may share its memory with others.
  return move(typeof made === 'string' ? new TextEncoder().encode(made) : new Uint8Array(made));
};

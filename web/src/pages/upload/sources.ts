import type { Template } from '../../api/types.ts';
import { isLive, refusalOf, takesSound } from './accepted.ts';
import type { Job } from './job.ts';
import type { SourceKind } from './SourceField.tsx';

/** Which templates take a source. */
export const TAKES: Readonly<Record<SourceKind, (template: Template) => boolean>> = {
  files: ({ dataSourceSchema }) => dataSourceSchema !== 'string',
  link: takesSound,
  captions: isLive,
  text: ({ dataSourceSchema }) => dataSourceSchema === 'string',
};

type Source = Job['source'];

interface Given {
  readonly kind: SourceKind;
  readonly files: readonly File[];
  readonly text: string;
  readonly link: string;
}

/** What the form has to send: one for each file. */
export const sourcesOf = ({ kind, files, text, link }: Given): readonly Source[] => {
  if (kind === 'captions') return [{ kind }];
  if (kind === 'link') return link.trim() === '' ? [] : [{ kind, url: link.trim() }];
  const typed = text === '' ? [] : [new File([text], 'text.txt', { type: 'text/plain' })];
  return [...typed, ...files].map((file) => ({ kind: 'file', file }));
};

/** The name of its stream, unless the form has one. */
export const nameOf = (source: Source): string => {
  if (source.kind === 'file') return source.file.name;
  if (source.kind === 'captions') return 'Live captions';
  return URL.canParse(source.url) ? new URL(source.url).pathname.split('/').at(-1) || source.url : source.url;
};

interface Wanted {
  readonly kind: SourceKind;
  readonly template: Template;
  readonly sources: readonly Source[];
}

/** The changes needed before it can be sent; `null` if there are none. */
export const problemOf = ({ kind, template, sources }: Wanted): string | null => {
  if (kind === 'captions')
    return isLive(template) ? null : 'This template cannot give captions while you speak. Choose the real-time transcription.';
  if (kind === 'link' && !takesSound(template)) return 'This template takes no link. Choose a transcription template, or upload a file.';
  if (kind === 'link' && sources.length === 0) return 'Enter a link first.';
  if (sources.length === 0)
    return template.dataSourceSchema === 'string' ? 'Choose a file first, or type a text.' : 'Choose a file first, or record one.';
  const refusals = sources.flatMap((source) => (source.kind === 'file' ? [refusalOf(source.file)] : []));
  return refusals.find((refusal) => refusal !== null) ?? null;
};

import { ApiError } from '../../api/errors.ts';
import { getJson } from '../../api/request.ts';
import { isLarge, sendResumably } from '../../api/resumable.ts';
import type { Stream, Template } from '../../api/types.ts';
import { sendFile, sendLink } from '../../api/upload.ts';
import type { UploadSettings } from '../../api/uploadSettings.ts';
import type { SinkSource } from '../../results/results.ts';

/** A stream to be made, with everything that the form says of it. */
export interface Job extends UploadSettings {
  readonly streamId: string;
  readonly template: Template;
  readonly source:
    | { readonly kind: 'file'; readonly file: File }
    | { readonly kind: 'link'; readonly url: string }
    | { readonly kind: 'captions' };
  /** Of an unfinished upload that is continued. */
  readonly location?: string;
}

/** The name of a job on its page. */
export const titleOf = ({ source }: Job): string =>
  source.kind === 'file' ? source.file.name : source.kind === 'link' ? source.url : 'Live captions';

export const STOPPED = new ApiError(0, 'The upload was stopped.');

/** Sends a file or a link. Resolves when all bytes are stored. Rejects with `ApiError`. */
export const sendJob = async (
  { streamId, template, source, query, patches, webhooks, location }: Job,
  signal: AbortSignal,
  onProgress: (sent: number, total: number) => void,
): Promise<Stream> => {
  const settings = { query: queryOf({ streamId, template, query }), patches, webhooks, signal };
  if (source.kind === 'link') return sendLink({ ...settings, url: source.url });
  if (source.kind === 'file' && isLarge(source.file)) {
    await sendResumably({ ...settings, streamId, templateId: template.id, file: source.file, location, onProgress });
    return getJson<Stream>(`/stream-service/api/v1/streams/${streamId}`, { signal });
  }
  if (source.kind === 'file') return sendFile({ ...settings, content: source.file, onProgress });
  throw new Error('captions are sent over a WebSocket');
};

export const queryOf = ({ streamId, template, query }: Pick<Job, 'streamId' | 'template' | 'query'>): UploadSettings['query'] => ({
  ...query,
  id: streamId,
  streamConfigurationTemplateId: template.id,
});

/** The sinks that a stream of the template will have. The last stage of a chain is a sink even if its template does not say so. */
export const sinkSourcesOf = ({ processors }: Template): readonly SinkSource[] =>
  processors.map(({ id, egress, processorDeclaration }) => ({
    id,
    egress: { ...egress, sink: egress.sink || !processors.some(({ previousProcessorId }) => previousProcessorId === id) },
    destination: { messageSchema: processorDeclaration.outputSchema },
  }));

import { useState } from 'preact/hooks';
import { isFileOf, type KeptUpload, keptUploads } from '../../api/keptUploads.ts';
import { discardUpload } from '../../api/resumable.ts';
import type { Template } from '../../api/types.ts';
import { bytes } from '../../parts/format.ts';
import { Card } from '../../parts/Page.tsx';
import type { Job } from './job.ts';

interface Props {
  readonly templates: readonly Template[];
  readonly onContinue: (job: Job) => void;
}

/** Uploads of large files that a closed or reloaded page has left. */
export const UnfinishedUploads = ({ templates, onContinue }: Props) => {
  const [uploads, setUploads] = useState(keptUploads);
  const [problem, setProblem] = useState<string | null>(null);
  if (uploads.length === 0) return null;
  const proceed = (upload: KeptUpload, file: File | undefined) => {
    const template = templates.find(({ id }) => id === upload.templateId);
    if (!file) return;
    if (!template) return setProblem('The template of this upload is gone. Discard it, and upload the file again.');
    if (!isFileOf(upload, file)) return setProblem(`This is another file. Choose ${upload.file.name} as it was.`);
    const { streamId, location } = upload;
    onContinue({ streamId, template, source: { kind: 'file', file }, query: {}, patches: {}, webhooks: {}, location });
  };
  const discard = ({ location, streamId }: KeptUpload) => {
    // It expires on a server that is away.
    discardUpload(location, streamId).catch(() => {});
    setUploads(keptUploads());
  };
  return (
    <Card title="Unfinished uploads">
      <p>To continue an upload where it has stopped, choose its file again.</p>
      {problem !== null && (
        <p class="field-error" role="alert">
          {problem}
        </p>
      )}
      {uploads.map((upload) => (
        <div class="actions" key={upload.streamId}>
          <label class="field">
            <span>
              {upload.file.name} ({bytes(upload.file.size)})
            </span>
            <input type="file" onChange={(event) => proceed(upload, event.currentTarget.files?.[0])} />
          </label>
          <button type="button" class="button danger" onClick={() => discard(upload)}>
            Discard {upload.file.name}
          </button>
        </div>
      ))}
    </Card>
  );
};

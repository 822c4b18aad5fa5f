import { useState } from 'preact/hooks';
import { useTemplates } from '../../api/templates.ts';
import type { Template } from '../../api/types.ts';
import { newId } from '../../api/upload.ts';
import { CheckField, SelectField, TextField } from '../../parts/Field.tsx';
import { Loaded } from '../../parts/Notes.tsx';
import { Card, PageFrame } from '../../parts/Page.tsx';
import { type Patches, PatchForm } from '../../parts/PatchForm.tsx';
import type { PageProps } from '../../shell/page.ts';
import { SourceField } from './SourceField.tsx';
import { type Job, UploadRun } from './UploadRun.tsx';
import { type WebhookDraft, WebhookFields, webhooksOf } from './WebhookFields.tsx';

// Pre-recorded transcription.
const FIRST_TEMPLATE = '668115d123bca7e3509723d4';

/** The upload form, then the progress and the results of the upload. */
export const UploadPage = ({ query }: PageProps) => {
  const templates = useTemplates();
  const [job, setJob] = useState<Job | null>(null);
  return (
    <PageFrame title="Upload" lead="Upload a recording or a text and choose what to do with it.">
      {job ? (
        <UploadRun key={job.streamId} job={job} onAgain={() => setJob(null)} />
      ) : (
        <Loaded resource={templates}>
          {(all) => (
            <UploadForm
              templates={all}
              wanted={query.get('template') ?? FIRST_TEMPLATE}
              groupId={query.get('group') ?? ''}
              onSend={setJob}
            />
          )}
        </Loaded>
      )}
    </PageFrame>
  );
};

interface UploadFormProps {
  readonly templates: readonly Template[];
  readonly wanted: string;
  readonly groupId: string;
  readonly onSend: (job: Job) => void;
}

const UploadForm = ({ templates, wanted, groupId: givenGroup, onSend }: UploadFormProps) => {
  const [templateId, setTemplateId] = useState(wanted);
  const [file, setFile] = useState<File | null>(null);
  const [patches, setPatches] = useState<Patches>({});
  const [name, setName] = useState('');
  const [groupId, setGroupId] = useState(givenGroup);
  const [persist, setPersist] = useState(true);
  const [webhooks, setWebhooks] = useState<readonly WebhookDraft[]>([]);
  const [isMissing, setMissing] = useState(false);
  const template = templates.find(({ id }) => id === templateId) ?? templates[0];
  if (!template) return null;
  const send = () => {
    setMissing(file === null);
    if (file === null) return;
    const query = { name: name.trim() || file.name, groupId: groupId.trim(), persist };
    onSend({ streamId: newId(), template, file, query, patches, webhooks: webhooksOf(webhooks) });
  };
  return (
    <form
      class="columns upload-form"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <div class="stack">
        <Card title="Your audio or text">
          <SourceField
            takesText={template.dataSourceSchema === 'string'}
            file={file}
            onFile={(chosen) => {
              setMissing(false);
              setFile(chosen);
            }}
          />
          {isMissing && (
            <p class="field-error" role="alert">
              Choose a file first{template.dataSourceSchema === 'string' ? ', or type a text' : ', or record one'}.
            </p>
          )}
        </Card>
        <Card title="What to do with it">
          <SelectField
            label="Template"
            value={template.id}
            options={templates.map(({ id, name: shown, runnable }) => [
              id,
              runnable.ok ? shown : `${shown} (cannot run here)`,
              !runnable.ok,
            ])}
            hint={template.description}
            onChange={(id) => {
              setTemplateId(id);
              setPatches({});
            }}
          />
          {!template.runnable.ok && (
            <p class="field-error" role="status">
              {template.runnable.reason} Or choose another template.
            </p>
          )}
          <PatchForm key={template.id} template={template} patches={patches} onChange={setPatches} />
        </Card>
      </div>
      <div class="stack">
        <Card title="Stream">
          <div class="schema-form">
            <TextField label="Name" value={name} onInput={setName} placeholder={file?.name ?? ''} />
            <CheckField
              label="Keep the results"
              checked={persist}
              onChange={setPersist}
              hint="Keeps them for hours, so that you can export them. Otherwise everything is deleted a minute after the end."
            />
            <TextField label="Group" value={groupId} onInput={setGroupId} hint="Id of the group to join. Leave empty for a new group." />
          </div>
        </Card>
        <Card title="Webhooks">
          <WebhookFields drafts={webhooks} onChange={setWebhooks} />
        </Card>
        <button type="submit" class="button primary large">
          Upload
        </button>
      </div>
    </form>
  );
};

import { useState } from 'preact/hooks';
import type { Template } from '../../api/types.ts';
import { newId } from '../../api/upload.ts';
import { TextField } from '../../parts/Field.tsx';
import { Card } from '../../parts/Page.tsx';
import { type Patches, PatchForm } from '../../parts/PatchForm.tsx';
import { AsCommand } from './AsCommand.tsx';
import { firstOf, isLive, refusalOf, takesSound } from './accepted.ts';
import { Choices, keepingOf, SIMPLE } from './Choices.tsx';
import { commandOf } from './command.ts';
import { GroupField } from './GroupField.tsx';
import type { Job } from './job.ts';
import { SourceField, type SourceKind } from './SourceField.tsx';
import { TemplateField } from './TemplateField.tsx';
import { useRefusal, useRefusals } from './useRunnable.ts';
import { type WebhookDraft, WebhookFields, webhooksOf } from './WebhookFields.tsx';

interface UploadFormProps {
  readonly templates: readonly Template[];
  readonly wanted: string;
  readonly groupId: string;
  /** Whether "More settings" is open at first. */
  readonly isOpen: boolean;
  readonly onSend: (jobs: readonly Job[]) => void;
}

/** Which templates take a source. */
const TAKES: Readonly<Record<SourceKind, (template: Template) => boolean>> = {
  files: ({ dataSourceSchema }) => dataSourceSchema !== 'string',
  link: takesSound,
  captions: isLive,
  text: ({ dataSourceSchema }) => dataSourceSchema === 'string',
};

/** The source of an upload, its processing, and its webhooks. */
export const UploadForm = ({ templates, wanted, groupId: givenGroup, isOpen: isOpenFirst, onSend }: UploadFormProps) => {
  const [templateId, setTemplateId] = useState(wanted);
  const [kind, setKind] = useState<SourceKind>('files');
  const [files, setFiles] = useState<readonly File[]>([]);
  const [text, setText] = useState('');
  const [link, setLink] = useState('');
  const [patches, setPatches] = useState<Patches>({});
  const [name, setName] = useState('');
  const [groupId, setGroupId] = useState(givenGroup);
  const [keeping, setKeeping] = useState('kept');
  const [webhooks, setWebhooks] = useState<readonly WebhookDraft[]>([]);
  const [problem, setProblem] = useState<string | null>(null);
  const [isOpen, setOpen] = useState(isOpenFirst);
  const template = templates.find(({ id }) => id === templateId) ?? templates[0];
  const refusals = useRefusals(template);
  const refusal = useRefusal(template, patches);
  if (!template) return null;
  const chooseTemplate = (id: string) => {
    setTemplateId(id);
    setPatches({});
  };
  const chooseKind = (next: SourceKind) => {
    setProblem(null);
    setKind(next);
    if (TAKES[next](template)) return;
    const other = firstOf(templates.filter(TAKES[next]));
    if (other) chooseTemplate(other.id);
  };
  const sources = sourcesOf({ kind, files, text: template.dataSourceSchema === 'string' ? text : '', link });
  const send = () => {
    const wrong = problemOf({ kind, template, sources });
    setProblem(wrong);
    if (wrong !== null) return;
    onSend(
      sources.map((source): Job => {
        const given = sources.length === 1 ? name.trim() : '';
        const query = { name: given || nameOf(source), groupId: groupId.trim(), ...keepingOf(keeping) };
        return { streamId: newId(), template, source, query, patches, webhooks: webhooksOf(webhooks) };
      }),
    );
  };
  const command = commandOf({
    ...{ origin: location.origin, templateId: template.id, patches, webhooks: webhooksOf(webhooks) },
    query: { name: name.trim(), groupId: groupId.trim(), ...keepingOf(keeping) },
    link: kind === 'link' ? link.trim() : null,
  });
  return (
    <form
      class="stack upload-form"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <Card title="Your audio or text">
        <SourceField
          {...{ template, kind, onKind: chooseKind, files, onText: setText, link, onLink: setLink }}
          onFiles={(change) => {
            setProblem(null);
            setFiles(change);
          }}
        />
        {problem !== null && (
          <p class="field-error" role="alert">
            {problem}
          </p>
        )}
      </Card>
      <Card title="What you want">
        <Choices
          {...{ templates, template, patches, keeping, refusals }}
          onTwin={setTemplateId}
          onPatches={setPatches}
          onKeeping={setKeeping}
        />
        {!template.runnable.ok && (
          <p class="field-error" role="status">
            {template.name} cannot run here: {template.runnable.reason} Or choose another template under More settings.
          </p>
        )}
        {refusal !== null && (
          <p class="field-error" role="status">
            This server cannot run these settings: {refusal}
          </p>
        )}
      </Card>
      <button type="submit" class="button primary large">
        {kind === 'captions' ? 'Start captions' : sources.length > 1 ? `Upload ${sources.length} files` : 'Upload'}
      </button>
      <details class="card more" open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>More settings</summary>
        <div class="stack">
          <TemplateField templates={templates} template={template} onChoose={chooseTemplate} />
          <PatchForm key={template.id} {...{ template, patches }} onChange={setPatches} except={SIMPLE} {...(refusals && { refusals })} />
          <div class="option-grid">
            {sources.length > 1 ? (
              <p class="quiet">Each stream gets the name of its file.</p>
            ) : (
              <TextField label="Name" value={name} onInput={setName} placeholder={sources[0] ? nameOf(sources[0]) : ''} />
            )}
            <GroupField groupId={groupId} onChoose={setGroupId} />
          </div>
          <WebhookFields drafts={webhooks} onChange={setWebhooks} />
          {kind !== 'captions' && <AsCommand command={command} />}
        </div>
      </details>
    </form>
  );
};

type Source = Job['source'];

interface Given {
  readonly kind: SourceKind;
  readonly files: readonly File[];
  readonly text: string;
  readonly link: string;
}

const sourcesOf = ({ kind, files, text, link }: Given): readonly Source[] => {
  if (kind === 'captions') return [{ kind }];
  if (kind === 'link') return link.trim() === '' ? [] : [{ kind, url: link.trim() }];
  const typed = text === '' ? [] : [new File([text], 'text.txt', { type: 'text/plain' })];
  return [...typed, ...files].map((file) => ({ kind: 'file', file }));
};

const nameOf = (source: Source): string => {
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
const problemOf = ({ kind, template, sources }: Wanted): string | null => {
  if (kind === 'captions')
    return isLive(template) ? null : 'This template cannot give captions while you speak. Choose the real-time transcription.';
  if (kind === 'link' && !takesSound(template)) return 'This template takes no link. Choose a transcription template, or upload a file.';
  if (kind === 'link' && sources.length === 0) return 'Enter a link first.';
  if (sources.length === 0)
    return template.dataSourceSchema === 'string' ? 'Choose a file first, or type a text.' : 'Choose a file first, or record one.';
  const refusals = sources.flatMap((source) => (source.kind === 'file' ? [refusalOf(source.file)] : []));
  return refusals.find((refusal) => refusal !== null) ?? null;
};

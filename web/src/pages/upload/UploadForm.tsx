import { useState } from 'preact/hooks';
import { RETENTION } from '../../api/serverSettings.ts';
import type { Template } from '../../api/types.ts';
import { newId } from '../../api/upload.ts';
import { SelectField, TextField } from '../../parts/Field.tsx';
import { duration } from '../../parts/format.ts';
import { Card } from '../../parts/Page.tsx';
import { type Patches, PatchForm } from '../../parts/PatchForm.tsx';
import { AsCommand } from './AsCommand.tsx';
import { isLive, refusalOf, takesSound } from './accepted.ts';
import { commandOf } from './command.ts';
import type { Job } from './job.ts';
import { SourceField, type SourceKind } from './SourceField.tsx';
import { TemplateField } from './TemplateField.tsx';
import { useRefusal, useRefusals } from './useRunnable.ts';
import { type WebhookDraft, WebhookFields, webhooksOf } from './WebhookFields.tsx';

interface UploadFormProps {
  readonly templates: readonly Template[];
  readonly wanted: string;
  readonly groupId: string;
  readonly onSend: (jobs: readonly Job[]) => void;
}

const DAY = 86_400_000;
const isAllowed = (days: number): boolean => RETENTION.longest === 0 || days * DAY <= RETENTION.longest;

/** How long the results are kept: `kept` as the server does, an ISO 8601 duration, or `none`. */
const KEEPING: readonly (readonly [string, string])[] = [
  ['kept', RETENTION.persistent === 0 ? 'Until I delete them' : `For ${duration(RETENTION.persistent)}`],
  ...(isAllowed(30) ? ([['P30D', 'For 30 days']] as const) : []),
  ...(isAllowed(1) ? ([['P1D', 'For a day']] as const) : []),
  ['none', 'Do not keep them'],
];

const keepingOf = (keeping: string): { persist: boolean; keepFor?: string } =>
  keeping === 'kept' || keeping === 'none' ? { persist: keeping === 'kept' } : { persist: true, keepFor: keeping };

/** The source of an upload, its processing, and its webhooks. */
export const UploadForm = ({ templates, wanted, groupId: givenGroup, onSend }: UploadFormProps) => {
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
    const live = templates.find((one) => isLive(one) && one.runnable.ok) ?? templates.find(isLive);
    if (next === 'captions' && !isLive(template) && live) chooseTemplate(live.id);
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
      class="columns upload-form"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <div class="stack">
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
        <Card title="What to do with it">
          <TemplateField templates={templates} template={template} onChoose={chooseTemplate} />
          <PatchForm key={template.id} template={template} patches={patches} onChange={setPatches} {...(refusals && { refusals })} />
          {refusal !== null && (
            <p class="field-error" role="status">
              This server cannot run these settings: {refusal}
            </p>
          )}
        </Card>
      </div>
      <div class="stack">
        <Card title="Stream">
          <div class="schema-form">
            {sources.length > 1 ? (
              <p class="quiet">Each stream gets the name of its file.</p>
            ) : (
              <TextField label="Name" value={name} onInput={setName} placeholder={sources[0] ? nameOf(sources[0]) : ''} />
            )}
            <SelectField
              label="Keep the results"
              value={keeping}
              onChange={setKeeping}
              options={KEEPING}
              hint={`You can export and share kept results. Otherwise all data are deleted ${duration(RETENTION.ephemeral)} after the stream ends.`}
            />
            <TextField label="Group" value={groupId} onInput={setGroupId} hint="Id of the group to join. Leave empty for a new group." />
          </div>
        </Card>
        <Card title="Webhooks">
          <WebhookFields drafts={webhooks} onChange={setWebhooks} />
        </Card>
        {kind !== 'captions' && (
          <Card title="From a program">
            <AsCommand command={command} />
          </Card>
        )}
        <button type="submit" class="button primary large">
          {kind === 'captions' ? 'Start captions' : sources.length > 1 ? `Upload ${sources.length} files` : 'Upload'}
        </button>
      </div>
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

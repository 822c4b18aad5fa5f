import { useState } from 'preact/hooks';
import type { Template } from '../../api/types.ts';
import { newId } from '../../api/upload.ts';
import { TextField } from '../../parts/Field.tsx';
import { ErrorNote } from '../../parts/Notes.tsx';
import { Card } from '../../parts/Page.tsx';
import { type Patches, PatchForm, withPatch } from '../../parts/PatchForm.tsx';
import { patchFields } from '../../parts/patchFields.ts';
import { AsCommand } from './AsCommand.tsx';
import { firstOf } from './accepted.ts';
import { Choices, keepingOf, SIMPLE } from './Choices.tsx';
import { renamedIn } from './chosenWords.ts';
import { commandOf } from './command.ts';
import { GroupField } from './GroupField.tsx';
import type { Job } from './job.ts';
import { useRedaction } from './RedactField.tsx';
import { SourceField, type SourceKind } from './SourceField.tsx';
import { nameOf, problemOf, sourcesOf, TAKES } from './sources.ts';
import { TemplateField } from './TemplateField.tsx';
import { usePatched, useRefusals, whyNot } from './useRunnable.ts';
import { VocabularyDialog } from './VocabularyDialog.tsx';
import { VocabularyField } from './VocabularyField.tsx';
import { useVocabularies, type Vocabulary } from './vocabularies.ts';
import { type WebhookDraft, WebhookFields, webhooksOf } from './WebhookFields.tsx';

interface UploadFormProps {
  readonly templates: readonly Template[];
  readonly wanted: string;
  readonly groupId: string;
  /** Whether "More settings" is open at first. */
  readonly isOpen: boolean;
  readonly onSend: (jobs: readonly Job[]) => void;
}

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
  const { data: patched = null, error } = usePatched(template, patches);
  const refusal = patched?.runnable.reason ?? null;
  const redaction = useRedaction(template, patches, patched);
  const vocabularies = useVocabularies();
  // `null`: a new one.
  const [edited, setEdited] = useState<Vocabulary | null | undefined>(undefined);
  if (!template) return null;
  const chooseTemplate = (id: string) => {
    setTemplateId(id);
    setPatches({});
  };
  const chooseTwin = (id: string) => {
    const keysOf = (one: Template | undefined) => new Set(one ? patchFields(one).map(({ key }) => key) : []);
    const [before, after] = [keysOf(template), keysOf(templates.find((one) => one.id === id))];
    setTemplateId(id);
    setPatches(Object.fromEntries(Object.entries(patches).filter(([key]) => after.has(key) || !before.has(key))));
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
  const vocabulary = patchFields(template).find(({ key }) => key === VOCABULARY);
  const command = commandOf({
    ...{ origin: location.origin, templateId: template.id, patches, webhooks: webhooksOf(webhooks) },
    query: { name: name.trim(), groupId: groupId.trim(), ...keepingOf(keeping) },
    link: kind === 'link' ? link.trim() : null,
  });
  return (
    <>
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
            onTwin={chooseTwin}
            onPatches={setPatches}
            onKeeping={setKeeping}
          />
          {!template.runnable.ok && (
            <p class="field-error" role="status">
              {template.name} cannot run on this server. {whyNot(template)} Or choose another template under More settings.
            </p>
          )}
          {refusal !== null && (
            <p class="field-error" role="status">
              This server cannot run these settings: {refusal}
            </p>
          )}
        </Card>
        {error && <ErrorNote error={error} />}
        <button type="submit" class="button primary large">
          {kind === 'captions' ? 'Start captions' : sources.length > 1 ? `Upload ${sources.length} files` : 'Upload'}
        </button>
        <details class="card more" open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
          <summary>More settings</summary>
          <div class="stack">
            <TemplateField templates={templates} template={template} onChoose={chooseTemplate} />
            {redaction && <PatchForm template={redaction} patches={patches} onChange={setPatches} />}
            <PatchForm
              key={template.id}
              {...{ template, patches }}
              onChange={setPatches}
              except={new Set([...SIMPLE, ...(vocabulary ? [VOCABULARY, ...replacementsIn(template)] : [])])}
              {...(refusals && { refusals })}
            />
            {vocabulary && (
              <VocabularyField
                key={template.id}
                value={patches[VOCABULARY] ?? vocabulary.value}
                saved={vocabularies.data ?? []}
                onChange={(value) => setPatches(withPatch(patches, vocabulary, value))}
                onEdit={setEdited}
              />
            )}
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
      {edited !== undefined && (
        <VocabularyDialog
          vocabulary={edited}
          onSaved={(name) => {
            vocabularies.reload();
            if (vocabulary && edited) setPatches(withPatch(patches, vocabulary, renamedIn(patches[VOCABULARY], edited.name, name)));
          }}
          onClose={() => setEdited(undefined)}
        />
      )}
    </>
  );
};

const VOCABULARY = 'vocabulary';

/** Settings that saved vocabularies have in a form that people can read. */
const replacementsIn = (template: Template): readonly string[] =>
  patchFields(template).flatMap(({ key, path }) => (path.at(-1) === 'replacements' ? [key] : []));

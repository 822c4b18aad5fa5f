import { useRef, useState } from 'preact/hooks';
import type { Template } from '../../api/types.ts';
import { Field, TextField } from '../../parts/Field.tsx';
import { Icon } from '../../parts/Icon.tsx';
import { acceptedIn, takesSound } from './accepted.ts';
import { ChosenFiles } from './ChosenFiles.tsx';
import { Recorder } from './Recorder.tsx';

/** Where the bytes come from. */
export type SourceKind = 'files' | 'link' | 'captions' | 'text';

const KINDS: readonly (readonly [SourceKind, string])[] = [
  ['files', 'Files'],
  ['link', 'Link'],
  ['captions', 'Live captions'],
  ['text', 'Text'],
];

/** Like a state setter: it gets the previous choice. */
type ChangeFiles = (change: (before: readonly File[]) => readonly File[]) => void;

interface SourceFieldProps {
  readonly template: Template;
  readonly kind: SourceKind;
  readonly onKind: (kind: SourceKind) => void;
  readonly files: readonly File[];
  readonly onFiles: ChangeFiles;
  readonly onText: (text: string) => void;
  readonly link: string;
  readonly onLink: (link: string) => void;
}

/** Files, a text, a recording, a link, or speech as it is spoken. */
export const SourceField = ({ template, kind, onKind, files, onFiles, onText, link, onLink }: SourceFieldProps) => (
  <div class="source">
    <fieldset class="switch">
      <legend class="visually-hidden">Source</legend>
      {KINDS.map(([value, shown]) => (
        <label key={value}>
          <input type="radio" name="source" checked={value === kind} onChange={() => onKind(value)} />
          {shown}
        </label>
      ))}
    </fieldset>
    {(kind === 'files' || kind === 'text') && <FilesField template={template} files={files} onFiles={onFiles} />}
    {(kind === 'files' || kind === 'text') && template.dataSourceSchema === 'string' && <TypedText onText={onText} />}
    {kind === 'link' && <LinkField template={template} link={link} onLink={onLink} />}
    {kind === 'captions' && (
      <p class="quiet">
        Shows what you say while you speak. Your browser asks for the microphone when you start. Use English for results word by word.
      </p>
    )}
  </div>
);

interface FilesFieldProps {
  readonly template: Template;
  readonly files: readonly File[];
  readonly onFiles: ChangeFiles;
}

const FilesField = ({ template, files, onFiles }: FilesFieldProps) => {
  const [isOver, setOver] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const add = (more: FileList | null | undefined) => onFiles((before) => [...before, ...(more ?? [])]);
  return (
    <div
      class={`drop ${isOver ? 'over' : ''}`}
      role="group"
      aria-label="Files to upload"
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        add(event.dataTransfer?.files);
      }}
    >
      {files.length === 0 ? (
        <p class="quiet">Drop files here, or</p>
      ) : (
        <ChosenFiles files={files} onRemove={(gone) => onFiles((before) => before.filter((file) => file !== gone))} />
      )}
      <div class="actions centred">
        <button type="button" class="button" onClick={() => input.current?.click()}>
          <Icon name="upload" /> {files.length === 0 ? 'Choose files' : 'Add files'}
        </button>
        {template.dataSourceSchema !== 'string' && <Recorder onRecorded={(file) => onFiles((before) => [...before, file])} />}
      </div>
      <p class="hint">{acceptedIn(template)}</p>
      <input
        ref={input}
        class="visually-hidden"
        type="file"
        multiple
        aria-label="Choose files"
        tabIndex={-1}
        onChange={({ currentTarget }) => {
          add(currentTarget.files);
          // So that the same file can be chosen again after it was removed.
          currentTarget.value = '';
        }}
      />
    </div>
  );
};

const TypedText = ({ onText }: { readonly onText: (text: string) => void }) => (
  <Field label="Or type a text">
    {(ids) => <textarea {...ids} rows={5} dir="auto" onInput={(event) => onText(event.currentTarget.value)} />}
  </Field>
);

const LinkField = ({
  template,
  link,
  onLink,
}: {
  readonly template: Template;
  readonly link: string;
  readonly onLink: (link: string) => void;
}) =>
  takesSound(template) ? (
    <TextField
      label="Link to a recording"
      type="url"
      placeholder="https://example.org/call.mp3"
      value={link}
      onInput={onLink}
      hint={`The server fetches it, so it must be reachable without signing in. ${acceptedIn(template)}`}
    />
  ) : (
    <p class="field-error" role="status">
      This template does not take recordings, so the server fetches no link for it. Choose a transcription template, or upload a file.
    </p>
  );

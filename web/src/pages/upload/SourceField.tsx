import { useRef, useState } from 'preact/hooks';
import { Field } from '../../parts/Field.tsx';
import { bytes } from '../../parts/format.ts';
import { Icon } from '../../parts/Icon.tsx';
import { Recorder } from './Recorder.tsx';

interface SourceFieldProps {
  /** Text is typed, sound is recorded; any file is taken. */
  readonly takesText: boolean;
  readonly file: File | null;
  readonly onFile: (file: File | null) => void;
}

/** Where the bytes come from: a file, the microphone, or the keyboard. */
export const SourceField = ({ takesText, file, onFile }: SourceFieldProps) => {
  const [isOver, setOver] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  return (
    <div class="source">
      <div
        class={`drop ${isOver ? 'over' : ''}`}
        role="group"
        aria-label="File to upload"
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setOver(false);
          onFile(event.dataTransfer?.files[0] ?? null);
        }}
      >
        {file ? <Chosen file={file} onRemove={() => onFile(null)} /> : <p class="quiet">Drop a file here, or</p>}
        <div class="actions centred">
          <button type="button" class="button" onClick={() => input.current?.click()}>
            <Icon name="upload" /> {file ? 'Choose another file' : 'Choose a file'}
          </button>
          {!takesText && <Recorder onRecorded={onFile} />}
        </div>
        <input
          ref={input}
          class="visually-hidden"
          type="file"
          aria-label="Choose a file"
          tabIndex={-1}
          onChange={(event) => onFile(event.currentTarget.files?.[0] ?? null)}
        />
      </div>
      {takesText && <TypedText onFile={onFile} />}
    </div>
  );
};

const Chosen = ({ file, onRemove }: { readonly file: File; readonly onRemove: () => void }) => (
  <p class="chosen">
    <strong>{file.name}</strong> <span class="quiet">{bytes(file.size)}</span>
    <button type="button" class="button bare" aria-label={`Remove ${file.name}`} onClick={onRemove}>
      <Icon name="close" />
    </button>
  </p>
);

const TypedText = ({ onFile }: { readonly onFile: (file: File | null) => void }) => (
  <Field label="Or type a text">
    {(ids) => (
      <textarea
        {...ids}
        rows={5}
        onInput={({ currentTarget: { value } }) => onFile(value === '' ? null : new File([value], 'text.txt', { type: 'text/plain' }))}
      />
    )}
  </Field>
);

import { useEffect, useState } from 'preact/hooks';
import { bytes } from '../../parts/format.ts';
import { Icon } from '../../parts/Icon.tsx';
import { refusalOf } from './accepted.ts';

interface ChosenFilesProps {
  readonly files: readonly File[];
  readonly onRemove: (file: File) => void;
}

/** The files that will be sent. Sound can be heard before. */
export const ChosenFiles = ({ files, onRemove }: ChosenFilesProps) => (
  <ul class="chosen" aria-label="Chosen files">
    {files.map((file) => (
      <Chosen key={`${file.name} ${file.size} ${file.lastModified}`} file={file} onRemove={() => onRemove(file)} />
    ))}
  </ul>
);

const Chosen = ({ file, onRemove }: { readonly file: File; readonly onRemove: () => void }) => {
  const [isHeard, setHeard] = useState(false);
  const refusal = refusalOf(file);
  return (
    <li>
      <div class="chosen-line">
        <span class="chosen-name">
          <strong>{file.name}</strong> <span class="quiet">{bytes(file.size)}</span>
        </span>
        {/^(audio|video)\//.test(file.type) && !isHeard && (
          <button type="button" class="button" aria-label={`Listen to ${file.name}`} onClick={() => setHeard(true)}>
            <Icon name="play" /> Listen
          </button>
        )}
        <button type="button" class="button bare" aria-label={`Remove ${file.name}`} onClick={onRemove}>
          <Icon name="close" />
        </button>
      </div>
      {isHeard && <Player file={file} />}
      {refusal && (
        <p class="field-error" role="alert">
          {refusal}
        </p>
      )}
    </li>
  );
};

const Player = ({ file }: { readonly file: File }) => {
  const [url, setUrl] = useState<string | null>(null);
  const [isUnplayable, setUnplayable] = useState(false);
  useEffect(() => {
    const made = URL.createObjectURL(file);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [file]);
  if (isUnplayable) return <p class="hint">This browser cannot play the file. The server may still read it.</p>;
  if (url === null) return null;
  return (
    // biome-ignore lint/a11y/useMediaCaption: its words are not known before the upload
    <audio src={url} controls autoplay aria-label={`Recording ${file.name}`} onError={() => setUnplayable(true)} />
  );
};

import { useState } from 'preact/hooks';
import { send } from '../../../api/request.ts';
import type { ListedStream } from '../../../api/types.ts';
import { useAction } from '../../../api/useAction.ts';
import { TextField } from '../../../parts/Field.tsx';
import { FormDialog } from '../../../parts/FormDialog.tsx';
import { counted } from '../../../parts/format.ts';
import { STREAMS } from '../streams.ts';

interface LabelDialogProps {
  readonly streams: readonly ListedStream[];
  readonly onLabeled: () => void;
  readonly onClose: () => void;
}

/** Adds labels to streams and takes labels away. */
export const LabelDialog = ({ streams, onLabeled, onClose }: LabelDialogProps) => {
  const [add, setAdd] = useState('');
  const [remove, setRemove] = useState<ReadonlySet<string>>(new Set());
  const known = [...new Set(streams.flatMap(({ labels }) => labels))].sort();
  const { busy, error, run } = useAction(async () => {
    const body = { streams: streams.map(({ streamId }) => streamId), add: labelsIn(add), remove: [...remove] };
    await send('POST', `${STREAMS}/labels`, { body });
    onLabeled();
  });
  return (
    <FormDialog
      title={`Labels of ${counted(streams.length, 'stream')}`}
      submit="Save"
      disabled={busy || (labelsIn(add).length === 0 && remove.size === 0)}
      error={error}
      onSubmit={() => void run()}
      onClose={onClose}
    >
      <TextField label="Add" value={add} onInput={setAdd} hint="Several are separated by commas." />
      {known.length > 0 && (
        <fieldset class="field">
          <legend>Remove</legend>
          <div class="label-chips">
            {known.map((label) => (
              <button
                key={label}
                type="button"
                class="chip"
                aria-pressed={remove.has(label)}
                onClick={() => setRemove((before) => toggled(before, label))}
              >
                {label}
              </button>
            ))}
          </div>
        </fieldset>
      )}
    </FormDialog>
  );
};

const toggled = (labels: ReadonlySet<string>, label: string): ReadonlySet<string> =>
  labels.has(label) ? new Set([...labels].filter((one) => one !== label)) : new Set([...labels, label]);

/** Labels as one types them. */
export const labelsIn = (text: string): string[] =>
  text
    .split(',')
    .map((label) => label.trim())
    .filter(Boolean);

import { useState } from 'preact/hooks';
import { send } from '../../api/request.ts';
import type { Stream, StreamComponents } from '../../api/types.ts';
import { useAction } from '../../api/useAction.ts';
import { ConfirmButton } from '../../parts/Dialog.tsx';
import { TextField } from '../../parts/Field.tsx';
import { FormDialog } from '../../parts/FormDialog.tsx';
import { announce } from '../../shell/Announcer.tsx';
import { labelsIn } from './list/LabelDialog.tsx';
import { RunAgain } from './runs/RunAgain.tsx';
import { pathOf } from './streams.ts';

interface StreamActionsProps {
  readonly stream: Stream;
  readonly components: StreamComponents;
  readonly onDone: () => void;
}

/** Actions for a stream in its current state. */
export const StreamActions = ({ stream, components, onDone }: StreamActionsProps) => {
  const [isRenaming, setRenaming] = useState(false);
  const path = pathOf(stream.streamId);
  const done = (text: string) => {
    announce(text);
    onDone();
  };
  return (
    <>
      {stream.state !== 'READY' && <RunAgain stream={stream} components={components} onStarted={onDone} />}
      <button type="button" class="button" onClick={() => setRenaming(true)}>
        Rename
      </button>
      {stream.state === 'READY' && (
        <ConfirmButton
          label="Cancel stream"
          danger
          onConfirm={async () => {
            await send('PUT', `${path}/cancel`);
            done('The stream was canceled');
          }}
        >
          <p>Stops its processors. The stream becomes failed. You can still export the results of finished stages.</p>
        </ConfirmButton>
      )}
      {stream.state !== 'EXPIRED' && (
        <ConfirmButton
          label="Delete data"
          danger
          onConfirm={async () => {
            await send('DELETE', path);
            done('Data deleted');
          }}
        >
          <p>
            Deletes the uploaded bytes and all results at once. This cannot be undone.
            {stream.state === 'READY' ? ' The stream is canceled first.' : ''} Its events stay.
          </p>
        </ConfirmButton>
      )}
      {isRenaming && (
        <RenameDialog
          stream={stream}
          onClose={() => setRenaming(false)}
          onRenamed={() => {
            setRenaming(false);
            done('Saved');
          }}
        />
      )}
    </>
  );
};

interface RenameDialogProps {
  readonly stream: Stream;
  readonly onClose: () => void;
  readonly onRenamed: () => void;
}

const MAX_NAME = 255;

const RenameDialog = ({ stream, onClose, onRenamed }: RenameDialogProps) => {
  const [name, setName] = useState(stream.name ?? '');
  const [labels, setLabels] = useState(stream.labels.join(', '));
  const { busy, error, run } = useAction(async () => {
    await send('PATCH', pathOf(stream.streamId), { body: { ...(name.trim() && { name: name.trim() }), labels: labelsIn(labels) } });
    onRenamed();
  });
  const isTooLong = [...name.trim()].length > MAX_NAME;
  return (
    <FormDialog
      title="Name and labels"
      submit="Save"
      disabled={busy || isTooLong || (stream.name !== null && name.trim() === '')}
      error={error}
      onSubmit={() => void run()}
      onClose={onClose}
    >
      <TextField label="Name" value={name} onInput={setName} error={isTooLong ? `At most ${MAX_NAME} characters.` : undefined} />
      <TextField label="Labels" value={labels} onInput={setLabels} hint="Several are separated by commas." />
    </FormDialog>
  );
};

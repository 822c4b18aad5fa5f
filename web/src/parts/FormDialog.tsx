import type { ComponentChildren } from 'preact';
import type { ApiError } from '../api/errors.ts';
import { Dialog } from './Dialog.tsx';
import { ErrorNote } from './Notes.tsx';

interface FormDialogProps {
  readonly title: string;
  readonly wide?: boolean;
  /** The last button, such as "Save". */
  readonly submit: string;
  readonly danger?: boolean;
  /** The form is being sent, or something is missing or wrong in it. */
  readonly disabled: boolean;
  readonly error: ApiError | undefined;
  readonly onSubmit: () => void;
  readonly onClose: () => void;
  /** The button that closes the dialog. Default: "Cancel". */
  readonly dismiss?: string;
  /** Buttons between the two. */
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A form in a dialog: its fields, why it was refused, a button to leave it and one to send it. */
export const FormDialog = ({ title, wide = false, submit, danger = false, dismiss = 'Cancel', ...rest }: FormDialogProps) => {
  const { disabled, error, onSubmit, onClose, actions, children } = rest;
  return (
    <Dialog title={title} onClose={onClose} wide={wide}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          onSubmit();
        }}
      >
        {children}
        {error && <ErrorNote error={error} />}
        <div class="actions">
          <button type="button" class="button" onClick={onClose}>
            {dismiss}
          </button>
          {actions}
          <button type="submit" class={`button ${danger ? 'danger-fill' : 'primary'}`} disabled={disabled}>
            {submit}
          </button>
        </div>
      </form>
    </Dialog>
  );
};

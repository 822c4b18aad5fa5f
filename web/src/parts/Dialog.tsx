import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { useAction } from '../api/useAction.ts';
import { Icon } from './Icon.tsx';
import { ErrorNote, Note } from './Notes.tsx';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  /** Wider than a column of fields. */
  readonly wide?: boolean;
  /** What is lost when it is closed: then Escape and the cross ask first. */
  readonly asks?: string;
}

/** A modal window, open while it is rendered. Escape closes it; the focus stays inside, and then returns to its previous place. */
export const Dialog = ({ title, onClose, children, wide = false, asks }: DialogProps) => {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  const [isAsking, setAsking] = useState(false);
  const leave = () => (asks === undefined ? onClose() : setAsking(true));
  useEffect(() => {
    const dialog = element.current;
    const before = document.activeElement;
    dialog?.showModal();
    return () => {
      dialog?.close();
      // It is removed before the browser has returned the focus.
      if (before instanceof HTMLElement) setTimeout(() => before.focus());
    };
  }, []);
  return (
    <dialog
      ref={element}
      class={`dialog ${wide ? 'wide' : ''}`}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        leave();
      }}
    >
      <header class="card-head">
        <h2 id={id}>{title}</h2>
        <button type="button" class="button bare" aria-label="Close" onClick={leave}>
          <Icon name="close" />
        </button>
      </header>
      {isAsking && (
        <div role="alertdialog" aria-label="Close?" class="stack">
          <Note tone="warn">{asks}</Note>
          <div class="actions">
            <button type="button" class="button" onClick={() => setAsking(false)}>
              Back
            </button>
            <button type="button" class="button danger" onClick={onClose}>
              Close anyway
            </button>
          </div>
        </div>
      )}
      {children}
    </dialog>
  );
};

interface ConfirmButtonProps {
  /** Label of the button, the window and its last button: "Cancel stream". */
  readonly label: string;
  /** The consequences, and that they cannot be undone. */
  readonly children: ComponentChildren;
  readonly onConfirm: () => Promise<unknown>;
  readonly danger?: boolean;
  readonly disabled?: boolean;
  readonly wide?: boolean;
}

/** A button that asks before it does something that cannot be undone. */
export const ConfirmButton = ({ label, children, onConfirm, danger = false, disabled = false, wide = false }: ConfirmButtonProps) => {
  const [isOpen, setOpen] = useState(false);
  const { busy, error, run, clear } = useAction(onConfirm);
  const close = () => {
    clear();
    setOpen(false);
  };
  return (
    <>
      <button type="button" class={`button ${danger ? 'danger' : ''}`} disabled={disabled} onClick={() => setOpen(true)}>
        {label}
      </button>
      {isOpen && (
        <Dialog title={`${label}?`} onClose={close} wide={wide}>
          <div class="dialog-text">{children}</div>
          {error && <ErrorNote error={error} />}
          <div class="actions">
            <button type="button" class="button" onClick={close}>
              {label.startsWith('Cancel') ? 'Back' : 'Cancel'}
            </button>
            <button
              type="button"
              class={`button ${danger ? 'danger-fill' : 'primary'}`}
              disabled={busy}
              onClick={async () => {
                if (await run()) setOpen(false);
              }}
            >
              {label}
            </button>
          </div>
        </Dialog>
      )}
    </>
  );
};

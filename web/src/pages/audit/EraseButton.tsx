import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useAction } from '../../api/useAction.ts';
import { Dialog } from '../../parts/Dialog.tsx';
import { TextField } from '../../parts/Field.tsx';
import { FormDialog } from '../../parts/FormDialog.tsx';
import { count } from '../../parts/format.ts';
import { Note } from '../../parts/Notes.tsx';
import { session } from '../../shell/session.ts';
import { type ErasureReport, erase } from './audit.ts';

/** Erases a person, after their owner id was typed twice. */
export const EraseButton = () => {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" class="button danger" onClick={() => setOpen(true)}>
        Erase a person
      </button>
      {isOpen && <EraseDialog onClose={() => setOpen(false)} />}
    </>
  );
};

interface EraseDialogProps {
  /** Proposed, when it is known who. */
  readonly subject?: string;
  readonly children?: ComponentChildren;
  readonly onClose: () => void;
}

export const EraseDialog = ({ subject: proposed = '', children, onClose }: EraseDialogProps) => {
  const [typed, setTyped] = useState<string | null>(null);
  const subject = typed ?? proposed;
  const [repeated, setRepeated] = useState('');
  const [report, setReport] = useState<ErasureReport | null>(null);
  const wanted = subject.trim();
  const isOwn = wanted === session.value?.caller.subject;
  const { busy, error, run } = useAction(async () => setReport(await erase(wanted)));
  if (report) return <Erased subject={wanted} report={report} onClose={onClose} />;
  return (
    <FormDialog
      title="Erase a person"
      submit={busy ? 'Erasing…' : 'Erase for good'}
      danger
      disabled={busy || wanted === '' || repeated.trim() !== wanted}
      error={error}
      onSubmit={() => void run()}
      onClose={onClose}
    >
      <Note tone="bad">
        This destroys the person’s keys, credentials, streams and results, also in backups. It cannot be undone. The log still verifies.
      </Note>
      {children}
      <TextField label="Owner id" value={subject} onInput={setTyped} required hint="As in the list of credentials." />
      <TextField
        label="Repeat the owner id"
        value={repeated}
        onInput={setRepeated}
        required
        error={repeated !== '' && repeated.trim() !== wanted ? 'The two ids differ.' : undefined}
      />
      {isOwn && <Note tone="warn">This is you. Your own credentials stop working at once.</Note>}
    </FormDialog>
  );
};

const FIGURES = [
  ['Streams canceled', 'streamsCanceled'],
  ['Deliveries dropped', 'deliveriesDropped'],
  ['Credentials revoked', 'credentialsRevoked'],
  ['Keys destroyed', 'keysDestroyed'],
  ['Documents destroyed', 'documentsDestroyed'],
  ['Uploads and results destroyed', 'topicsDestroyed'],
] as const;

interface ErasedProps {
  readonly subject: string;
  readonly report: ErasureReport;
  readonly onClose: () => void;
}

const Erased = ({ subject, report, onClose }: ErasedProps) => (
  <Dialog title="Erased" onClose={onClose}>
    <div class="stack">
      <p>
        <code>{subject}</code> has been erased.
      </p>
      <dl class="facts">
        {FIGURES.map(([title, name]) => (
          <>
            <dt>{title}</dt>
            <dd>{count(report[name])}</dd>
          </>
        ))}
      </dl>
      <div class="actions">
        <button type="button" class="button primary" onClick={onClose}>
          Close
        </button>
      </div>
    </div>
  </Dialog>
);

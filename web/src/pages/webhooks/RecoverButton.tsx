import { useState } from 'preact/hooks';
import { useAction } from '../../api/useAction.ts';
import { SelectField, TextField } from '../../parts/Field.tsx';
import { FormDialog } from '../../parts/FormDialog.tsx';
import { counted } from '../../parts/format.ts';
import { recoverSince, type WebhookEndpoint } from './webhooks.ts';

const HOUR_MILLISECONDS = 3_600_000;

/** How far back, in hours; empty: a time of one's own. */
const SPANS = [
  ['1', 'Last hour'],
  ['24', 'Last 24 hours'],
  ['168', 'Last 7 days'],
  ['', 'Since a time'],
] as const;

interface RecoverButtonProps {
  readonly endpoint: WebhookEndpoint;
  readonly onRecovered: () => void;
}

/** Schedules the events that an endpoint has missed. */
export const RecoverButton = ({ endpoint: { id, enabled }, onRecovered }: RecoverButtonProps) => {
  const [isOpen, setOpen] = useState(false);
  const [span, setSpan] = useState('24');
  const [since, setSince] = useState('');
  const [scheduled, setScheduled] = useState<number | null>(null);
  const { busy, error, run, clear } = useAction(async () => {
    const from = span === '' ? new Date(since) : new Date(Date.now() - Number(span) * HOUR_MILLISECONDS);
    setScheduled((await recoverSince(id, from.toISOString())).scheduled);
    onRecovered();
  });
  const close = () => {
    clear();
    setScheduled(null);
    setOpen(false);
  };
  return (
    <>
      <button type="button" class="button" disabled={!enabled} onClick={() => setOpen(true)}>
        Recover
      </button>
      {isOpen && (
        <FormDialog
          title="Recover missed events"
          submit="Recover"
          disabled={busy || (span === '' && since === '')}
          error={error}
          onSubmit={() => void run()}
          onClose={close}
          dismiss="Close"
        >
          <p class="quiet">Sends every event that the endpoint has missed. Repeating it sends nothing twice.</p>
          <SelectField label="Missed in" value={span} options={SPANS} onChange={setSpan} />
          {span === '' && <TextField label="Since" type="datetime-local" value={since} onInput={setSince} required />}
          {scheduled !== null && <p role="status">{counted(scheduled, 'delivery', 'deliveries')} scheduled.</p>}
        </FormDialog>
      )}
    </>
  );
};

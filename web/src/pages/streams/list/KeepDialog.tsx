import { useState } from 'preact/hooks';
import { send } from '../../../api/request.ts';
import { RETENTION } from '../../../api/serverSettings.ts';
import type { ListedStream } from '../../../api/types.ts';
import { useAction } from '../../../api/useAction.ts';
import { SelectField } from '../../../parts/Field.tsx';
import { FormDialog } from '../../../parts/FormDialog.tsx';
import { counted } from '../../../parts/format.ts';
import { STREAMS } from '../streams.ts';

const DAY = 86_400_000;
const PERIODS: readonly (readonly [string, string])[] = [
  ...(RETENTION.longest === 0 ? ([['', 'Until I delete them']] as const) : []),
  ...[1, 7, 30, 365]
    .filter((days) => RETENTION.longest === 0 || days * DAY <= RETENTION.longest)
    .map((days) => [String(days), `For ${counted(days, 'day')} from now`] as const),
];

interface KeepDialogProps {
  readonly streams: readonly ListedStream[];
  readonly onKept: () => void;
  readonly onClose: () => void;
}

/** Changes how long the data of streams are kept. */
export const KeepDialog = ({ streams, onKept, onClose }: KeepDialogProps) => {
  const [days, setDays] = useState(PERIODS[0]?.[0] ?? '1');
  const { busy, error, run } = useAction(async () => {
    const until = days === '' ? null : new Date(Date.now() + Number(days) * DAY).toISOString();
    await send('PUT', `${STREAMS}/retention`, { body: { streams: streams.map(({ streamId }) => streamId), until } });
    onKept();
  });
  return (
    <FormDialog
      title={`Keep ${counted(streams.length, 'stream')}`}
      submit="Save"
      disabled={busy}
      error={error}
      onSubmit={() => void run()}
      onClose={onClose}
    >
      <SelectField label="Keep the data" value={days} onChange={setDays} options={PERIODS} />
    </FormDialog>
  );
};

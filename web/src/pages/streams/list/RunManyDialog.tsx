import { useState } from 'preact/hooks';
import type { Template } from '../../../api/types.ts';
import { useAction } from '../../../api/useAction.ts';
import { useResource } from '../../../api/useResource.ts';
import { SelectField, TextField } from '../../../parts/Field.tsx';
import { FormDialog } from '../../../parts/FormDialog.tsx';
import { counted } from '../../../parts/format.ts';
import { announce } from '../../../shell/Announcer.tsx';
import { filterOf, type ManyDraft, rerunMany } from './bulkReruns.ts';

interface RunManyDialogProps {
  /** The filters of the list. */
  readonly query: URLSearchParams;
  readonly templates: readonly Template[];
  readonly onStarted: () => void;
  readonly onClose: () => void;
}

const STATES = [
  ['FAILED', 'Failed'],
  ['COMPLETED', 'Completed'],
  ['', 'Failed and completed'],
] as const;

/** Runs all streams that match a filter again, after showing how many they are. */
export const RunManyDialog = ({ query, templates, onStarted, onClose }: RunManyDialogProps) => {
  const [draft, setDraft] = useState<ManyDraft>(() => ({
    state: query.get('state') === 'COMPLETED' ? 'COMPLETED' : 'FAILED',
    template: query.get('streamConfigurationTemplateId') ?? '',
    since: query.get('since') ?? '',
    until: query.get('until') ?? '',
    errorName: '',
    group: query.get('group') ?? '',
    from: '',
    reason: '',
  }));
  const set = (change: Partial<ManyDraft>) => setDraft((before) => ({ ...before, ...change }));
  const filter = filterOf(draft);
  const isEmpty = Object.keys(filter).length === 0;
  const found = useResource<number | null>({
    key: JSON.stringify(filter),
    load: async (signal) => (isEmpty ? null : (await rerunMany({ ...draft, from: '' }, true, signal)).matched),
  });
  const { busy, error, run } = useAction(async () => {
    const { started } = await rerunMany(draft, false);
    announce(`${counted(started, 'stream')} queued`);
    onStarted();
  });
  const matched = found.data ?? null;
  return (
    <FormDialog
      title="Run many streams again"
      submit={matched ? `Run ${counted(matched, 'stream')} again` : 'Run again'}
      disabled={busy || !matched}
      error={error ?? found.error}
      onSubmit={() => void run()}
      onClose={onClose}
    >
      <div class="option-grid">
        <SelectField label="State" value={draft.state} options={STATES} onChange={(state) => set({ state })} />
        <SelectField
          label="Template"
          value={draft.template}
          options={[['', 'All templates'], ...templates.map(({ id, name }) => [id, name] as const)]}
          onChange={(template) => set({ template })}
        />
        <TextField label="Created from" type="date" value={draft.since} onInput={(since) => set({ since })} />
        <TextField label="Created until" type="date" value={draft.until} onInput={(until) => set({ until })} />
        <TextField label="Error" value={draft.errorName} onInput={(errorName) => set({ errorName })} placeholder="PROCESSOR_..." />
        <TextField label="Group" value={draft.group} onInput={(group) => set({ group })} placeholder="Group id" />
      </div>
      <TextField
        label="Begin with"
        value={draft.from}
        onInput={(from) => set({ from })}
        placeholder="The whole chain"
        hint="Id of a stage, such as llm. Stages before it are not run again."
      />
      <TextField label="Reason" value={draft.reason} onInput={(reason) => set({ reason })} hint="Recorded in the audit log. Optional." />
      <p role="status">
        {isEmpty
          ? 'Choose at least one filter.'
          : matched === null
            ? 'Counting…'
            : `${counted(matched, 'stream')} of yours ${matched === 1 ? 'matches' : 'match'}. Each new run is billed.`}
      </p>
    </FormDialog>
  );
};

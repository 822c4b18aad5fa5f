import { useState } from 'preact/hooks';
import type { ApiError } from '../../../api/errors.ts';
import { stageNameOf, useTemplates } from '../../../api/templates.ts';
import type { Stream, Template } from '../../../api/types.ts';
import { useResource } from '../../../api/useResource.ts';
import { SelectField, TextField } from '../../../parts/Field.tsx';
import { FormDialog } from '../../../parts/FormDialog.tsx';
import { Note } from '../../../parts/Notes.tsx';
import { type Patches, PatchForm } from '../../../parts/PatchForm.tsx';
import { hasCorrections } from '../../../results/editing/history.ts';
import { TRANSCRIPTION } from '../../../results/results.ts';
import { useRefusals } from '../../upload/useRunnable.ts';
import type { RerunOption, RerunRequest } from './RunAgain.tsx';

interface RunAgainDialogProps {
  readonly stream: Stream;
  readonly options: readonly RerunOption[];
  /** Chosen at first. */
  readonly from: string | null;
  readonly busy: boolean;
  readonly error: ApiError | undefined;
  readonly onRun: (request: RerunRequest) => void;
  readonly onClose: () => void;
}

// No stage can have an empty id.
const WHOLE = '';

/** The first stage of a new attempt, its changes, and its reason. */
export const RunAgainDialog = ({ stream, options, from: first, busy, error, onRun, onClose }: RunAgainDialogProps) => {
  const templates = useTemplates();
  const [from, setFrom] = useState(first);
  const [patches, setPatches] = useState<Patches>({});
  const [reason, setReason] = useState('');
  const template = templates.data?.find(({ id }) => id === stream.configuration.streamConfigurationTemplateId);
  const refusals = useRefusals(template);
  const again = stagesFrom(stream, from);
  const losesCorrections = stream.configuration.processors.some(
    ({ id, destination }) => destination.messageSchema === TRANSCRIPTION && again.has(id),
  );
  const { data: isCorrected, error: unread } = useResource({
    key: stream.streamId,
    load: (signal) => hasCorrections(stream.streamId, signal),
  });
  return (
    <FormDialog
      title="Run again"
      submit="Run again"
      disabled={busy || (losesCorrections && isCorrected === undefined && !unread)}
      error={error}
      onSubmit={() => onRun({ from, patches, ...(reason.trim() && { reason: reason.trim() }) })}
      onClose={onClose}
    >
      {losesCorrections && (isCorrected || unread) && (
        <Note tone="warn">
          The new transcript begins without the corrections of this one. Names of speakers are kept. To read the corrected one later, choose
          “Show its transcript” under Details.
        </Note>
      )}
      <p class="quiet">Stages before the chosen one are not run again; their results are read. Results of earlier attempts stay.</p>
      <SelectField
        label="Begin with"
        value={from ?? WHOLE}
        options={options.map(({ from: stage, refusal }) => [
          stage ?? WHOLE,
          `${stage === null ? 'The whole chain' : stageNameOf(templates.data, stream, stage)}${refusal ? ` (${refusal.message})` : ''}`,
          refusal !== null,
        ])}
        onChange={(chosen) => {
          setFrom(chosen === WHOLE ? null : chosen);
          setPatches({});
        }}
      />
      <TextField label="Reason" value={reason} onInput={setReason} hint="Recorded in the audit log. Optional." />
      {template && (
        <PatchForm
          key={from}
          template={asRun(template, stream)}
          only={again}
          {...(refusals && { refusals })}
          patches={patches}
          onChange={setPatches}
        />
      )}
    </FormDialog>
  );
};

/** With the settings that this stream has. */
const asRun = (template: Template, { configuration }: Stream): Template => ({
  ...template,
  processors: template.processors.map((processor) => ({
    ...processor,
    properties: configuration.processors.find(({ id }) => id === processor.id)?.properties ?? processor.properties,
  })),
});

/** Ids of the stages that would run again. */
const stagesFrom = ({ configuration: { processors } }: Stream, from: string | null): ReadonlySet<string> => {
  const [stages, written] = [new Set<string>(), new Set<string>()];
  // Processors are in no certain order, so at most as many rounds as processors are needed.
  for (const _ of processors)
    for (const { id, source, destination } of processors)
      if (from === null || id === from || written.has(source.topic)) {
        stages.add(id);
        written.add(destination.topic);
      }
  return stages;
};

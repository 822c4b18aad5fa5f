import { useState } from 'preact/hooks';
import { useAction } from '../../api/useAction.ts';
import { CheckField, SelectField, TextField } from '../../parts/Field.tsx';
import { FormDialog } from '../../parts/FormDialog.tsx';
import { JsonField } from '../../parts/JsonField.tsx';
import { isAdmin } from '../../shell/session.ts';
import { bodyOf, type Draft, draftOf, EMPTY, isIncomplete, OWN_SCHEMA } from './draft.ts';
import { declare, PAYLOADS, type Processor } from './processors.ts';

interface DeclareDialogProps {
  /** The processor that gets a new version; absent for a new processor. */
  readonly processor?: Processor;
  /** `secret` only if it is new. */
  readonly onSaved: (processor: Processor, secret: string | null) => void;
  readonly onClose: () => void;
}

/** The form of a processor of one's own. */
export const DeclareDialog = ({ processor, onSaved, onClose }: DeclareDialogProps) => {
  const [draft, setDraft] = useState<Draft>(() => (processor ? draftOf(processor) : EMPTY));
  const [forEverybody, setForEverybody] = useState(processor?.origin === 'shared');
  const set = (change: Partial<Draft>) => setDraft((before) => ({ ...before, ...change }));
  const { busy, error, run } = useAction(async () => {
    const { secret = null, ...saved } = await declare(bodyOf(draft, processor?.id), forEverybody);
    onSaved(saved, secret);
  });
  return (
    <FormDialog
      title={processor ? `New version of ${processor.displayName}` : 'Declare a processor'}
      submit={processor ? 'Save version' : 'Declare'}
      disabled={busy || isIncomplete(draft)}
      error={error}
      onSubmit={() => void run()}
      onClose={onClose}
    >
      {processor && <p class="quiet">Streams that run keep the version they started with. New streams use the new one.</p>}
      <TextField label="Name" value={draft.name} onInput={(name) => set({ name })} />
      <TextField label="Description" value={draft.description} onInput={(description) => set({ description })} />
      <TextField
        label="URL"
        type="url"
        placeholder="https://example.org/process"
        value={draft.url}
        onInput={(url) => set({ url })}
        hint="Gets one signed POST for each run. Addresses in private networks need WEBHOOK_ALLOW_CIDRS."
      />
      <SelectField
        label="When it runs"
        value={draft.mode}
        options={[
          ['batch', 'When its input is complete'],
          ['live', 'While its input grows'],
        ]}
        onChange={(mode) => set({ mode })}
      />
      <PayloadField label="Input" {...{ draft, set }} choice="input" json="inputJson" />
      <PayloadField label="Output" {...{ draft, set }} choice="output" json="outputJson" />
      <JsonField
        label="Properties as a JSON Schema"
        value={draft.properties}
        onInput={(properties) => set({ properties })}
        hint="What templates and uploads can set. Leave empty for a processor without properties."
      />
      <Advanced draft={draft} set={set} />
      {isAdmin.value && !processor && <CheckField label="Share it with all users" checked={forEverybody} onChange={setForEverybody} />}
    </FormDialog>
  );
};

interface PartProps {
  readonly draft: Draft;
  readonly set: (change: Partial<Draft>) => void;
}

interface PayloadFieldProps extends PartProps {
  readonly label: 'Input' | 'Output';
  readonly choice: 'input' | 'output';
  readonly json: 'inputJson' | 'outputJson';
}

const PayloadField = ({ label, draft, set, choice, json }: PayloadFieldProps) => {
  const chosen = draft[choice];
  const known = [...PAYLOADS, [OWN_SCHEMA, 'Messages by a JSON Schema'] as const];
  return (
    <>
      <SelectField
        label={label}
        value={chosen}
        // A declaration may name a message that this page does not know.
        options={known.some(([name]) => name === chosen) ? known : [...known, [chosen, chosen]]}
        onChange={(name) => set({ [choice]: name })}
      />
      {chosen === OWN_SCHEMA && (
        <JsonField label={`JSON Schema of the ${choice}`} value={draft[json]} onInput={(text) => set({ [json]: text })} />
      )}
    </>
  );
};

const OPERATIONS: readonly (readonly [string, string])[] = [
  ['NO_OPERATION', 'None'],
  ['LLM_PROCESSING', 'Language model'],
  ['SUMMARIZATION', 'Summary'],
  ['SENTIMENT_ANALYSIS', 'Sentiment'],
  ['TRANSLATION', 'Translation'],
  ['TRANSCODE', 'Transcoding'],
  ['BATCH_TRANSCRIPTION', 'Transcription'],
  ['REAL_TIME_TRANSCRIPTION', 'Real-time transcription'],
  ['SPEAKERS_DIARIZATION', 'Diarization'],
  ['VOICE_ACTIVITY_DETECTION', 'Voice activity'],
];

const LIMITS = [
  ['attempts', 'Tries of a run', '3'],
  ['timeoutMs', 'Time limit of a try (ms)', '600000'],
  ['maxOutputBytes', 'Largest output (bytes)', '67108864'],
  ['concurrency', 'Runs at once', '4'],
] as const;

const Advanced = ({ draft, set }: PartProps) => (
  <details class="options">
    <summary>Limits, defaults and price</summary>
    <div class="options-body">
      <div class="option-grid">
        {LIMITS.map(([name, label, fallback]) => (
          <TextField
            key={name}
            label={label}
            type="number"
            placeholder={fallback}
            value={draft[name]}
            onInput={(text) => set({ [name]: text })}
          />
        ))}
      </div>
      <JsonField
        label="Default properties"
        rows={3}
        value={draft.defaults}
        onInput={(defaults) => set({ defaults })}
        hint="A JSON object."
      />
      <JsonField
        label="Aliases"
        rows={3}
        value={draft.aliases}
        onInput={(aliases) => set({ aliases })}
        hint={'Short names for uploads, such as {"replacement": "properties/replacement"}.'}
      />
      <SelectField
        label="Operation"
        value={draft.operationType}
        options={OPERATIONS}
        onChange={(operationType) => set({ operationType })}
        hint="Decides the price if the list below is empty, and the line in usage reports."
      />
      <JsonField
        label="Price"
        rows={3}
        value={draft.price}
        onInput={(price) => set({ price })}
        hint={'Credits for one unit, such as [{"quantity": "ingressSize", "rate": "0.00001"}].'}
      />
    </div>
  </details>
);

import { useRef } from 'preact/hooks';
import type { Template } from '../../api/types.ts';
import { CheckField } from '../../parts/Field.tsx';
import type { Patches } from '../../parts/PatchForm.tsx';
import { TRANSCRIPTION } from '../../results/results.ts';

const REDACTION = 'redaction';
/** The settings of the stage that an upload may ask for, with the kinds first. */
const SETTINGS = ['redact', 'redactPatterns', 'redactRegion', 'keepMedia'] as const;
/** `number` would take every number, and `custom` needs patterns. */
const USUAL = ['email', 'phone', 'card', 'iban', 'ssn', 'ip', 'url'];

interface RedactFieldProps {
  readonly template: Template;
  readonly patches: Patches;
  readonly onPatches: (patches: Patches) => void;
}

/** A switch for redaction, where the template is a built-in one that transcribes. Others have their own stage or none. */
export const RedactField = ({ template: { origin, processors }, patches, onPatches }: RedactFieldProps) => {
  if (origin === 'own' || !processors.some(({ processorDeclaration: { outputSchema } }) => outputSchema === TRANSCRIPTION)) return null;
  const others = Object.fromEntries(Object.entries(patches).filter(([key]) => !SETTINGS.some((one) => one === key)));
  return (
    <CheckField
      label="Redaction"
      hint="Replaces phone numbers, cards and other personal data, and deletes the recording."
      checked={patches.redact !== undefined}
      onChange={(isOn) => onPatches(isOn ? { ...others, redact: USUAL } : others)}
    />
  );
};

/**
 * The stage that the server adds to a template because the upload asks for it. The last one stays while settings are typed that are not yet
 * known, or refused: otherwise the field would lose the focus at each key.
 */
export const useRedaction = (template: Template | undefined, patches: Patches, patched: Template | null): Template | null => {
  const last = useRef<Template | null>(null);
  const found = template && redactionIn(template, patched);
  if (found || patches.redact === undefined || last.current?.id !== template?.id) last.current = found ?? null;
  return last.current;
};

/** Without values, so that each choice is a patch. */
const redactionIn = (template: Template, patched: Template | null): Template | null => {
  const stage = patched?.processors.find(({ id }) => id === REDACTION);
  if (!stage || template.processors.some(({ id }) => id === REDACTION)) return null;
  return { ...template, processors: [{ ...stage, properties: {} }] };
};

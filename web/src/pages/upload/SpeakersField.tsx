import type { Template } from '../../api/types.ts';
import { CheckField } from '../../parts/Field.tsx';
import { whyNot } from './useRunnable.ts';

/** Built-in templates without and with the names of the speakers. */
const TWINS: readonly (readonly [string, string])[] = [
  ['668115d123bca7e3509723d4', '669fee048452492b62cfad39'],
  ['678e26e695f8f5742e8718f4', '678e375095f8f5742e8718f5'],
];

interface SpeakersFieldProps {
  readonly templates: readonly Template[];
  readonly template: Template;
  readonly onTwin: (id: string) => void;
}

/** Whether the transcript says who spoke, for the templates that can be had with and without. */
export const SpeakersField = ({ templates, template, onTwin }: SpeakersFieldProps) => {
  const twins = TWINS.find((pair) => pair.includes(template.id));
  const [without, withSpeakers] = twins?.map((id) => templates.find((one) => one.id === id)) ?? [];
  if (!without || !withSpeakers) return null;
  const { ok } = withSpeakers.runnable;
  const isOn = template.id === withSpeakers.id;
  return (
    <CheckField
      label="Speakers"
      hint={ok ? 'The transcript says who spoke.' : whyNot(withSpeakers)}
      checked={isOn}
      disabled={!ok && !isOn}
      onChange={(on) => onTwin(on ? withSpeakers.id : without.id)}
    />
  );
};

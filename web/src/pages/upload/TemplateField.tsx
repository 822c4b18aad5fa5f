import type { Template } from '../../api/types.ts';
import { SelectField } from '../../parts/Field.tsx';
import { counted } from '../../parts/format.ts';
import { whyNot } from './useRunnable.ts';

interface TemplateFieldProps {
  readonly templates: readonly Template[];
  readonly template: Template;
  readonly onChoose: (id: string) => void;
}

/** Chooses a template. A browser does not let anyone choose or read a disabled option, so the reasons are in a list below. */
export const TemplateField = ({ templates, template, onChoose }: TemplateFieldProps) => {
  const refused = templates.filter(({ runnable }) => !runnable.ok);
  return (
    <>
      <SelectField
        label="Template"
        value={template.id}
        options={templates.map(({ id, name, runnable }) => [id, runnable.ok ? name : `${name} (cannot run here)`, !runnable.ok])}
        hint={template.description}
        onChange={onChoose}
      />
      {refused.length > 0 && (
        <details class="why">
          <summary>Why {counted(refused.length, 'template')} cannot run here</summary>
          <dl>
            {refused.map((one) => (
              <div key={one.id}>
                <dt>{one.name}</dt>
                <dd class="quiet">{whyNot(one)}</dd>
              </div>
            ))}
          </dl>
        </details>
      )}
    </>
  );
};

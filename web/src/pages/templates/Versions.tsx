import type { Template } from '../../api/types.ts';
import { Differences } from '../../parts/Differences.tsx';
import { SelectField } from '../../parts/Field.tsx';
import { Loaded } from '../../parts/Notes.tsx';
import { Card } from '../../parts/Page.tsx';
import { refine } from '../../shell/place.ts';
import { changesBetween, useTemplate } from './templates.ts';

/** The version that is shown, and its changes. */
export const Versions = ({ template, newest }: { readonly template: Template; readonly newest: number }) => {
  const { id, version } = template;
  const numbers = Array.from({ length: newest }, (_, n) => String(newest - n));
  return (
    <Card title="Versions" class="versions">
      <div class="stack">
        <SelectField
          label="Show"
          value={String(version)}
          options={numbers.map((number) => [number, `Version ${number}`] as const)}
          onChange={(chosen) => refine({ version: chosen === String(newest) ? null : chosen })}
        />
        {version > 1 && <Since id={id} template={template} />}
      </div>
    </Card>
  );
};

const Since = ({ id, template }: { readonly id: string; readonly template: Template }) => (
  <div>
    <h3>Changes in version {template.version}</h3>
    <Loaded resource={useTemplate(id, String(template.version - 1))}>
      {(before) => <Differences changes={changesBetween(before, template)} />}
    </Loaded>
  </div>
);

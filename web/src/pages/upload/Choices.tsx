import { RETENTION } from '../../api/serverSettings.ts';
import type { Template } from '../../api/types.ts';
import { SelectField } from '../../parts/Field.tsx';
import { FieldGroup } from '../../parts/FieldGroup.tsx';
import { duration } from '../../parts/format.ts';
import { type Patches, type Refusals, withPatch } from '../../parts/PatchForm.tsx';
import { type PatchField, patchFields } from '../../parts/patchFields.ts';
import { SchemaField } from '../../parts/SchemaField.tsx';
import { LanguageField } from './LanguageField.tsx';
import { RedactField } from './RedactField.tsx';
import { SpeakersField } from './SpeakersField.tsx';

/** The settings that almost everybody chooses, by their aliases. All others are under "More settings". */
const LANGUAGE = 'language';
const SPEAKERS = 'speakersNumber';
const SWITCHES = ['summary', 'sentimentAnalysis'];
export const SIMPLE: ReadonlySet<string> = new Set([LANGUAGE, SPEAKERS, ...SWITCHES]);

const DAY = 86_400_000;
const isAllowed = (days: number): boolean => RETENTION.longest === 0 || days * DAY <= RETENTION.longest;

/** How long the results are kept: `kept` as the server does, an ISO 8601 duration, or `none`. */
const KEEPING: readonly (readonly [string, string])[] = [
  ['kept', RETENTION.persistent === 0 ? 'Until I delete them' : `For ${duration(RETENTION.persistent)}`],
  ...(isAllowed(30) ? ([['P30D', 'For 30 days']] as const) : []),
  ...(isAllowed(1) ? ([['P1D', 'For a day']] as const) : []),
  ['none', 'Do not keep them'],
];

export const keepingOf = (keeping: string): { persist: boolean; keepFor?: string } =>
  keeping === 'kept' || keeping === 'none' ? { persist: keeping === 'kept' } : { persist: true, keepFor: keeping };

interface ChoicesProps {
  readonly templates: readonly Template[];
  readonly template: Template;
  /** Keeps the patches that the other template has too. */
  readonly onTwin: (id: string) => void;
  readonly patches: Patches;
  readonly onPatches: (patches: Patches) => void;
  readonly refusals: Refusals | undefined;
  readonly keeping: string;
  readonly onKeeping: (keeping: string) => void;
}

/** Language, switches for what is made of the speech, and how long it is kept. */
export const Choices = ({ templates, template, onTwin, patches, onPatches, refusals, keeping, onKeeping }: ChoicesProps) => {
  const fields = fieldsOf(template);
  const language = fields.find(({ key }) => key === LANGUAGE);
  const speakers = fields.find(({ key }) => key === SPEAKERS);
  const change = (field: PatchField, value: PatchField['value']) => onPatches(withPatch(patches, field, value));
  const currentOf = ({ key, value }: PatchField) => patches[key] ?? value;
  return (
    <div class="stack">
      {language && (
        <LanguageField
          field={language}
          value={currentOf(language)}
          refusals={refusals?.get(LANGUAGE) ?? []}
          onChange={(value) => change(language, value)}
        />
      )}
      <div class="choices" role="group" aria-label="What to make of it">
        <div class="option-set">
          <SpeakersField templates={templates} template={template} onTwin={onTwin} />
          {speakers && (
            <SchemaField
              label={speakers.label}
              schema={speakers.schema}
              value={currentOf(speakers)}
              onChange={(value) => change(speakers, value)}
            />
          )}
        </div>
        {fields
          .filter(({ key }) => SWITCHES.includes(key))
          .map((field) => (
            <FieldGroup
              key={field.key}
              group={{ title: TITLES[field.key] ?? field.label, lead: field, fields: [] }}
              currentOf={currentOf}
              refusalsOf={({ key }) => refusals?.get(key)}
              onChange={change}
            />
          ))}
        <RedactField template={template} patches={patches} onPatches={onPatches} />
      </div>
      <SelectField
        label="Keep the results"
        value={keeping}
        onChange={onKeeping}
        options={KEEPING}
        hint={
          keeping === 'none'
            ? `All data are deleted ${duration(RETENTION.ephemeral)} after the stream ends. Until then you can read the results, but not export or share them.`
            : undefined
        }
      />
    </div>
  );
};

const TITLES: Readonly<Record<string, string>> = { summary: 'Summary', sentimentAnalysis: 'Sentiment analysis' };

const fieldsOf = (template: Template): readonly PatchField[] => patchFields(template).filter(({ key }) => SIMPLE.has(key));

import type { Template } from '../../../api/types.ts';
import { SelectField, TextField } from '../../../parts/Field.tsx';
import { useDraft } from '../../../parts/useDraft.ts';
import { refine } from '../../../shell/place.ts';
import { isAdmin } from '../../../shell/session.ts';
import { useGroups } from './useGroups.ts';
import { useOwners } from './useOwners.ts';

const STATES = [
  ['', 'All states'],
  ['READY', 'Processing'],
  ['COMPLETED', 'Completed'],
  ['FAILED', 'Failed'],
  ['EXPIRED', 'Expired'],
] as const;

/** The filters behind the search box. */
export const FILTERS = ['state', 'nameContains', 'streamConfigurationTemplateId', 'since', 'until', 'group', 'subject'] as const;

/** Which streams the list shows. Closed until one of them is used. */
export const Filters = ({ query, templates }: { readonly query: URLSearchParams; readonly templates: readonly Template[] }) => {
  const given = (name: string) => query.get(name) ?? '';
  const change = (name: string) => (value: string) => refine({ [name]: value, page: null });
  const groups = useGroups();
  const owners = useOwners();
  return (
    <details class="more filter-set" open={FILTERS.some((name) => query.has(name))}>
      <summary>Filters</summary>
      <div class="filters" role="group" aria-label="Filters">
        <SelectField label="State" value={given('state')} options={STATES} onChange={change('state')} />
        <SelectField
          label="Template"
          value={given('streamConfigurationTemplateId')}
          options={[['', 'All templates'], ...templates.map(({ id, name: shown }) => [id, shown] as const)]}
          onChange={change('streamConfigurationTemplateId')}
        />
        <NameField given={given('nameContains')} onChoose={change('nameContains')} />
        <TextField label="From" type="date" value={given('since')} onInput={change('since')} />
        <TextField label="To" type="date" value={given('until')} onInput={change('until')} />
        <SelectField
          label="Group"
          value={given('group')}
          options={withPresent('All groups', groups, given('group'))}
          onChange={change('group')}
        />
        {isAdmin.value && (
          <SelectField
            label="Owner"
            value={given('subject')}
            options={withPresent('You', owners, given('subject'))}
            onChange={change('subject')}
          />
        )}
      </div>
    </details>
  );
};

/** Applied when the reader leaves the field or presses Enter. */
const NameField = ({ given, onChoose }: { readonly given: string; readonly onChoose: (name: string) => void }) => {
  const [name, setName] = useDraft(given);
  return (
    <form class="field" onSubmit={(event) => event.preventDefault()} onChange={() => onChoose(name.trim())}>
      <TextField label="Name" type="search" value={name} onInput={setName} placeholder="Part of the name" />
    </form>
  );
};

/** Choices with an empty one, and with the present value, even if it is not among the newest. */
export const withPresent = (
  none: string,
  choices: readonly (readonly [string, string])[],
  now: string,
): readonly (readonly [string, string])[] => [
  ['', none],
  ...choices,
  ...(now !== '' && !choices.some(([value]) => value === now) ? [[now, now] as const] : []),
];

import type { Template } from '../../../api/types.ts';
import { SelectField, TextField } from '../../../parts/Field.tsx';
import { useDraft } from '../../../parts/useDraft.ts';
import { refine } from '../../../shell/place.ts';
import { isAdmin } from '../../../shell/session.ts';

const STATES = [
  ['', 'All states'],
  ['READY', 'Processing'],
  ['COMPLETED', 'Completed'],
  ['FAILED', 'Failed'],
  ['EXPIRED', 'Expired'],
] as const;

/** Which streams the list shows. */
export const Filters = ({ query, templates }: { readonly query: URLSearchParams; readonly templates: readonly Template[] }) => {
  const [name, setName] = useDraft(query.get('nameContains') ?? '');
  const [group, setGroup] = useDraft(query.get('group') ?? '');
  const [subject, setSubject] = useDraft(query.get('subject') ?? '');
  return (
    <form
      class="filters"
      role="search"
      aria-label="Filter streams"
      onSubmit={(event) => {
        event.preventDefault();
        refine({ nameContains: name.trim(), group: group.trim(), subject: subject.trim(), page: null });
      }}
    >
      <SelectField label="State" value={query.get('state') ?? ''} options={STATES} onChange={(state) => refine({ state, page: null })} />
      <TextField label="Name" type="search" value={name} onInput={setName} placeholder="Part of the name" />
      <SelectField
        label="Template"
        value={query.get('streamConfigurationTemplateId') ?? ''}
        options={[['', 'All templates'], ...templates.map(({ id, name: shown }) => [id, shown] as const)]}
        onChange={(id) => refine({ streamConfigurationTemplateId: id, page: null })}
      />
      <TextField label="From" type="date" value={query.get('since') ?? ''} onInput={(since) => refine({ since, page: null })} />
      <TextField label="To" type="date" value={query.get('until') ?? ''} onInput={(until) => refine({ until, page: null })} />
      <TextField label="Group" type="search" value={group} onInput={setGroup} placeholder="Group id" />
      {isAdmin.value && (
        <TextField label="Owner" type="search" value={subject} onInput={setSubject} placeholder="Owner id (default: you)" />
      )}
      <button type="submit" class="button">
        Filter
      </button>
    </form>
  );
};

import { refine } from '../shell/place.ts';
import { TextField } from './Field.tsx';
import { useDraft } from './useDraft.ts';

interface OwnerFilterProps {
  readonly query: URLSearchParams;
  /** Name of the form for screen readers: "Filter credentials". */
  readonly label: string;
  /** Whose are shown without an owner: "all". */
  readonly whose: string;
}

/** The owner whose things are listed, for administrators. It is in the address as `subject`. */
export const OwnerFilter = ({ query, label, whose }: OwnerFilterProps) => {
  const [subject, setSubject] = useDraft(query.get('subject') ?? '');
  return (
    <form
      class="filters"
      role="search"
      aria-label={label}
      onSubmit={(event) => {
        event.preventDefault();
        refine({ subject: subject.trim(), page: null });
      }}
    >
      <TextField label="Owner" type="search" value={subject} onInput={setSubject} placeholder={`Owner id (default: ${whose})`} />
      <button type="submit" class="button">
        Filter
      </button>
    </form>
  );
};

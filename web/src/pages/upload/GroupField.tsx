import { SelectField } from '../../parts/Field.tsx';
import { withPresent } from '../streams/list/Filters.tsx';
import { useGroups } from '../streams/list/useGroups.ts';

interface GroupFieldProps {
  readonly groupId: string;
  readonly onChoose: (groupId: string) => void;
}

/** The group that the stream joins, by the name of its first stream. */
export const GroupField = ({ groupId, onChoose }: GroupFieldProps) => (
  <SelectField
    label="Group"
    value={groupId}
    options={withPresent('A new group', useGroups(), groupId)}
    hint="Streams of a group are listed, counted and exported together."
    onChange={onChoose}
  />
);

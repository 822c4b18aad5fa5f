import { useState } from 'preact/hooks';
import { CheckField } from '../../parts/Field.tsx';
import { Note } from '../../parts/Notes.tsx';
import { EraseDialog } from '../audit/EraseButton.tsx';
import type { User } from './users.ts';

interface EraseUserDialogProps {
  readonly user: User;
  readonly onClose: () => void;
}

/** Erases a user. The library that a linked person works with is another owner's, so it goes only if that is chosen. */
export const EraseUserDialog = ({ user: { id, subject, ownerName, others }, onClose }: EraseUserDialogProps) => {
  const [withLibrary, setWithLibrary] = useState(false);
  const isLinked = subject !== id;
  const owner = ownerName ?? subject;
  return (
    <EraseDialog subject={withLibrary ? subject : id} onClose={onClose}>
      {isLinked && (
        <CheckField
          label={`Erase the library of ${owner} too`}
          checked={withLibrary}
          onChange={setWithLibrary}
          hint={`The person works with this library. Without this choice, ${owner} and the library stay.`}
        />
      )}
      {(withLibrary || !isLinked) && others.length > 0 && (
        <Note tone="bad">These people work with the library and are erased too: {others.join(', ')}.</Note>
      )}
    </EraseDialog>
  );
};

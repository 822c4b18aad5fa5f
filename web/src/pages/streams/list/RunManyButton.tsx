import { useState } from 'preact/hooks';
import type { Template } from '../../../api/types.ts';
import { RunManyDialog } from './RunManyDialog.tsx';

interface RunManyButtonProps {
  readonly query: URLSearchParams;
  readonly templates: readonly Template[];
  readonly onStarted: () => void;
}

/** Runs many streams again by a filter. */
export const RunManyButton = ({ query, templates, onStarted }: RunManyButtonProps) => {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" class="button small-button run-many" onClick={() => setOpen(true)}>
        Run many again
      </button>
      {isOpen && (
        <RunManyDialog
          query={query}
          templates={templates}
          onStarted={() => {
            setOpen(false);
            onStarted();
          }}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
};

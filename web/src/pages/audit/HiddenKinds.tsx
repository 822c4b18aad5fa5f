import { refine } from '../../shell/place.ts';
import { hiddenKinds, NOTHING_HIDDEN, useKinds } from './audit.ts';

/** Switches for the kinds of events that the log leaves out. */
export const HiddenKinds = ({ query }: { readonly query: URLSearchParams }) => {
  const { data: kinds = [] } = useKinds();
  const hidden = hiddenKinds(query);
  if (query.has('category') || query.has('type') || query.has('eventStream')) return null;
  const toggle = (kind: string) => {
    const next = hidden.includes(kind) ? hidden.filter((one) => one !== kind) : [...hidden, kind];
    refine({ exclude: next.length === 0 ? NOTHING_HIDDEN : next, after: null });
  };
  return (
    <div class="label-chips hidden-kinds" role="group" aria-label="Shown event streams">
      <span class="quiet small">Shown</span>
      {kinds.map(({ category }) => (
        <button key={category} type="button" class="chip" aria-pressed={!hidden.includes(category)} onClick={() => toggle(category)}>
          {category}
        </button>
      ))}
    </div>
  );
};

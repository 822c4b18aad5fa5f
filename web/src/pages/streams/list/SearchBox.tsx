import { Icon } from '../../../parts/Icon.tsx';
import { useDraft } from '../../../parts/useDraft.ts';
import { refine } from '../../../shell/place.ts';

/** One box over names, labels and every word that was said. */
export const SearchBox = ({ query }: { readonly query: URLSearchParams }) => {
  const [text, setText] = useDraft(query.get('q') ?? '');
  return (
    <form
      class="search-box"
      role="search"
      aria-label="Search the library"
      onSubmit={(event) => {
        event.preventDefault();
        refine({ q: text.trim(), page: null });
      }}
    >
      <input
        type="search"
        aria-label="Search"
        placeholder="Search titles, labels and words"
        value={text}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value);
          // The cross of the field empties it.
          if (currentTarget.value === '') refine({ q: null, page: null });
        }}
      />
      <button type="submit" class="button">
        <Icon name="search" /> Search
      </button>
    </form>
  );
};

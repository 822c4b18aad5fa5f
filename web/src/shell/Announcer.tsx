import { signal } from '@preact/signals';

const said = signal('');
let clearing: ReturnType<typeof setTimeout> | undefined;

/** Announces finished actions in a line at the edge of the page, which screen readers read out too. */
export const announce = (text: string): void => {
  said.value = text;
  clearTimeout(clearing);
  clearing = setTimeout(() => {
    said.value = '';
  }, 4_000);
};

export const Announcer = () => (
  <div class="announcer" role="status" aria-live="polite">
    {said.value}
  </div>
);

import type { Json } from '../api/types.ts';

/** JSON as it is, laid out to be read. What is too long for its frame is scrolled there, with the keyboard too. */
export const JsonText = ({ value, label }: { readonly value: Json; readonly label: string }) => (
  <pre class="json" role="region" aria-label={label} tabIndex={0}>
    {JSON.stringify(value, null, 2)}
  </pre>
);

import type { Json } from '../api/types.ts';

/** Formatted JSON. Content that is too long for its frame scrolls, also with the keyboard. */
export const JsonText = ({ value, label }: { readonly value: Json; readonly label: string }) => (
  <pre class="json" role="region" aria-label={label} tabIndex={0}>
    {JSON.stringify(value, null, 2)}
  </pre>
);

import { signal } from '@preact/signals';
import { ago, moment } from './format.ts';

// One clock for all of them.
const now = signal(Date.now());
setInterval(() => {
  if (!document.hidden) now.value = Date.now();
}, 5_000);

/** How long ago; the title has the moment itself. With `exact` the moment is shown. */
export const Time = ({ at, exact = false }: { readonly at: string | number; readonly exact?: boolean }) => (
  <time dateTime={new Date(at).toISOString()} title={moment(at)}>
    {exact ? moment(at) : ago(at, now.value)}
  </time>
);

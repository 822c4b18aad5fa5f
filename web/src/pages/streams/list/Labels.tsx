import { getJson } from '../../../api/request.ts';
import { useResource } from '../../../api/useResource.ts';
import { count } from '../../../parts/format.ts';
import { refine } from '../../../shell/place.ts';

interface LabelCount {
  readonly label: string;
  readonly streams: number;
}

const LABELS = '/stream-service/api/v1/labels';
const SHOWN = 12;

/** The caller's labels as switches: a stream is listed if it has all that are on. */
export const Labels = ({ query, version }: { readonly query: URLSearchParams; readonly version: unknown }) => {
  const { data } = useResource({ key: `${LABELS} ${version}`, load: (signal) => getJson<readonly LabelCount[]>(LABELS, { signal }) });
  const chosen = query.getAll('label');
  const shown = (data ?? []).filter(({ label }, n) => n < SHOWN || chosen.includes(label));
  if (shown.length === 0) return null;
  return (
    <div class="label-chips" role="group" aria-label="Labels">
      {shown.map(({ label, streams }) => {
        const isOn = chosen.includes(label);
        return (
          <button
            key={label}
            type="button"
            class="chip"
            aria-pressed={isOn}
            onClick={() => refine({ label: isOn ? chosen.filter((one) => one !== label) : [...chosen, label], page: null })}
          >
            {label} <span class="quiet">{count(streams)}</span>
          </button>
        );
      })}
    </div>
  );
};

import { useState } from 'preact/hooks';
import { getJson } from '../../../api/request.ts';
import { useResource } from '../../../api/useResource.ts';
import { CopyText } from '../../../parts/CopyText.tsx';
import { counted } from '../../../parts/format.ts';
import { isAdmin } from '../../../shell/session.ts';

interface Advice {
  readonly code: string;
  readonly message: string;
  readonly command: string | null;
}

const ADVICE = '/operations-service/api/v1/advice';
const HIDDEN = 'tributary.advice.hidden';

const hiddenCodes = (): readonly string[] => (localStorage.getItem(HIDDEN) ?? '').split(' ');

/** For administrators: one line about what this installation lacks, which opens to the commands that help. Each can be hidden for good. */
export const SetupBanner = () => {
  const [hidden, setHidden] = useState(hiddenCodes);
  const { data } = useResource({
    key: `${ADVICE} ${isAdmin.value}`,
    load: async (signal) => (isAdmin.value ? getJson<readonly Advice[]>(ADVICE, { signal }) : []),
  });
  const shown = (data ?? []).filter(({ code }) => !hidden.includes(code));
  const [only] = shown;
  if (!only) return null;
  const hide = (code: string) => {
    localStorage.setItem(HIDDEN, [...hidden, code].join(' '));
    setHidden(hiddenCodes());
  };
  return (
    <details class="note info setup">
      <summary class="one-line">{shown.length === 1 ? only.message : `${counted(shown.length, 'thing')} to set up`}</summary>
      <ul class="setup-advice" aria-label="Missing on this server">
        {shown.map(({ code, message, command }) => (
          <li key={code}>
            <span>
              {shown.length > 1 && message} {command !== null && <CopyText text={command} label="command" />}
            </span>
            <button type="button" class="button small-button" aria-label={`Hide: ${message}`} onClick={() => hide(code)}>
              Hide
            </button>
          </li>
        ))}
      </ul>
    </details>
  );
};

import { useState } from 'preact/hooks';
import { useAction } from '../../api/useAction.ts';
import { Dialog } from '../../parts/Dialog.tsx';
import { save } from '../../parts/Download.tsx';
import { counted } from '../../parts/format.ts';
import { Icon } from '../../parts/Icon.tsx';
import { ErrorNote, Note } from '../../parts/Notes.tsx';
import { Time } from '../../parts/Time.tsx';
import { session } from '../../shell/session.ts';
import { type Verdict, verify } from './audit.ts';

/** Hashes everything again: the whole log (`null`), or one event stream. */
export const VerifyButton = ({ eventStream }: { readonly eventStream: string | null }) => {
  const [verdict, setVerdict] = useState<Verdict | null>(null);
  const { busy, error, run, clear } = useAction(async () => setVerdict(await verify(eventStream)));
  const isOpen = busy || error !== undefined || verdict !== null;
  const close = () => {
    clear();
    setVerdict(null);
  };
  return (
    <>
      <button type="button" class="button primary" disabled={busy} onClick={() => void run()}>
        Verify
      </button>
      {isOpen && (
        <Dialog title={eventStream === null ? 'The log' : eventStream} onClose={close}>
          <div class="stack" aria-live="polite">
            {busy && <p>Checking every event against its hash chain and the seals …</p>}
            {error && <ErrorNote error={error} />}
            {verdict && <Found verdict={verdict} eventStream={eventStream} />}
          </div>
        </Dialog>
      )}
    </>
  );
};

interface FoundProps {
  readonly verdict: Verdict;
  readonly eventStream: string | null;
}

const Found = ({ verdict, eventStream }: FoundProps) => {
  const { ok, checked, sealed, firstBroken, verifiedTimestamp, head, seal } = verdict;
  return (
    <>
      {ok ? (
        <Note tone="good">Verified: {counted(checked, 'event')}, nothing was changed.</Note>
      ) : (
        <Note tone="bad">
          <strong>Broken</strong> after {counted(checked, 'event')}: {firstBroken?.reason}
        </Note>
      )}
      <dl class="facts">
        {firstBroken?.eventStream !== undefined && (
          <>
            <dt>Where</dt>
            <dd>
              {firstBroken.eventStream}
              {firstBroken.revision !== undefined && `, revision ${firstBroken.revision}`}
            </dd>
          </>
        )}
        <dt>Verified</dt>
        <dd>
          <Time at={verifiedTimestamp} exact />
        </dd>
        <dt>Head of the log</dt>
        <dd>{head === null ? 'empty' : <code>{head}</code>}</dd>
        <dt>Sealed up to</dt>
        <dd>{sealed === null ? 'no seal yet' : <code>{sealed}</code>}</dd>
        <dt>Newest seal</dt>
        <dd>
          {seal === null ? (
            'no seal yet'
          ) : (
            <>
              number {seal.revision}, key <code>{seal.keyId}</code>
            </>
          )}
        </dd>
      </dl>
      <div class="actions">
        <button type="button" class="button primary" onClick={() => save(reportOf(verdict, eventStream), 'verification.json')}>
          <Icon name="download" /> Download report
        </button>
      </div>
    </>
  );
};

/** The report for an auditor: the verdict, its time, the head, and the newest seal with its signature. */
const reportOf = (verdict: Verdict, eventStream: string | null): Blob =>
  new Blob([JSON.stringify({ server: location.origin, eventStream, verifiedBy: session.value?.caller, ...verdict }, null, 2)], {
    type: 'application/json',
  });

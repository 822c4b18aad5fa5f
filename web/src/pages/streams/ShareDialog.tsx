import { useState } from 'preact/hooks';
import { getJson, send } from '../../api/request.ts';
import type { Stream } from '../../api/types.ts';
import { useAction } from '../../api/useAction.ts';
import { useResource } from '../../api/useResource.ts';
import { CopyText } from '../../parts/CopyText.tsx';
import { ConfirmButton, Dialog } from '../../parts/Dialog.tsx';
import { CheckField, SelectField } from '../../parts/Field.tsx';
import { counted } from '../../parts/format.ts';
import { ErrorNote, Loaded, Note } from '../../parts/Notes.tsx';
import { Time } from '../../parts/Time.tsx';
import { reachableLink } from './shareLink.ts';
import { pathOf } from './streams.ts';

interface Share {
  readonly id: string;
  readonly expires: string | null;
  readonly media: boolean;
  readonly createdTimestamp: string;
  readonly views: number;
  readonly lastViewed: string | null;
}

interface NewShare {
  readonly id: string;
  readonly url: string;
}

const DAY = 86_400_000;
const PERIODS = [
  ['7', 'For 7 days'],
  ['30', 'For 30 days'],
  ['365', 'For a year'],
  ['', 'Until it is revoked'],
] as const;

interface ShareDialogProps {
  readonly stream: Stream;
  readonly onClose: () => void;
}

/** Makes links by which anyone reads the transcript, and revokes them. */
export const ShareDialog = ({ stream, onClose }: ShareDialogProps) => {
  const path = `${pathOf(stream.streamId)}/shares`;
  const [days, setDays] = useState('30');
  const [media, setMedia] = useState(false);
  const [made, setMade] = useState<NewShare | null>(null);
  const shares = useResource({ key: path, load: (signal) => getJson<readonly Share[]>(path, { signal }) });
  const { busy, error, run } = useAction(async () => {
    const expires = days === '' ? null : new Date(Date.now() + Number(days) * DAY).toISOString();
    setMade(await send<NewShare>('POST', path, { body: { expires, media } }));
    shares.reload();
  });
  return (
    <Dialog title="Share" onClose={onClose}>
      <div class="stack">
        <p class="quiet">Anyone with the link can read and download the transcript, without signing in.</p>
        {made ? (
          <Note tone="good">
            <p>Copy the link now. It is not shown again.</p>
            <CopyText text={reachableLink(made.url, location.origin)} label="link" />
          </Note>
        ) : (
          <form
            class="stack"
            onSubmit={(event) => {
              event.preventDefault();
              void run();
            }}
          >
            <SelectField label="How long it works" value={days} onChange={setDays} options={PERIODS} />
            <CheckField label="Share the recording too" checked={media} onChange={setMedia} />
            {error && <ErrorNote error={error} />}
            <div class="actions">
              <button type="submit" class="button primary" disabled={busy}>
                Make a link
              </button>
            </div>
          </form>
        )}
        <Loaded resource={shares}>
          {(all) =>
            all.length > 0 && (
              <ul class="shares" aria-label="Links">
                {all.map((share) => (
                  <ShareItem
                    key={share.id}
                    share={share}
                    path={path}
                    onRevoked={() => {
                      if (share.id === made?.id) setMade(null);
                      shares.reload();
                    }}
                  />
                ))}
              </ul>
            )
          }
        </Loaded>
      </div>
    </Dialog>
  );
};

interface ShareItemProps {
  readonly share: Share;
  readonly path: string;
  readonly onRevoked: () => void;
}

const ShareItem = ({ share: { id, expires, media, createdTimestamp, views, lastViewed }, path, onRevoked }: ShareItemProps) => (
  <li>
    <span>
      Made <Time at={createdTimestamp} />, {media ? 'with' : 'without'} the recording,{' '}
      {expires === null ? (
        'until it is revoked'
      ) : (
        <>
          until <Time at={expires} exact />
        </>
      )}
      <span class="cell-note quiet small">
        {views === 0 ? 'Not opened yet' : `Opened ${counted(views, 'time')}`}
        {lastViewed !== null && (
          <>
            , last <Time at={lastViewed} />
          </>
        )}
      </span>
    </span>
    <ConfirmButton
      label="Revoke"
      danger
      onConfirm={async () => {
        await send('DELETE', `${path}/${id}`);
        onRevoked();
      }}
    >
      <p>The link stops working at once. This cannot be undone.</p>
    </ConfirmButton>
  </li>
);

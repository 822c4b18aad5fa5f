import { ask, getJson } from '../../api/request.ts';
import { useAction } from '../../api/useAction.ts';
import { useResource } from '../../api/useResource.ts';
import { type Column, DataTable } from '../../parts/DataTable.tsx';
import { ConfirmButton } from '../../parts/Dialog.tsx';
import { Empty, ErrorNote, Loaded } from '../../parts/Notes.tsx';
import { Card } from '../../parts/Page.tsx';
import { Time } from '../../parts/Time.tsx';
import { announce } from '../../shell/Announcer.tsx';
import { signOut } from '../../shell/session.ts';
import { LAST_USED } from '../credentials/columns.tsx';

const SESSIONS = '/credential-service/api/v1/sessions';

interface Session {
  readonly id: string;
  /** `null` once erased. */
  readonly device: string | null;
  readonly createdTimestamp: string;
  /** The minute of its last use; `null` before the first. */
  readonly lastUsedTimestamp: string | null;
  /** Whether it is this one. */
  readonly current: boolean;
}

/** The user's sessions. */
export const Sessions = () => {
  const sessions = useResource({
    key: 'sessions',
    load: (signal) => getJson<{ readonly content: readonly Session[] }>(SESSIONS, { signal }),
  });
  const endAll = async () => {
    const ended = await ask('DELETE', SESSIONS);
    if (sessions.data?.content.some(({ current }) => current)) signOut('You are signed out everywhere.', ended);
    else sessions.reload();
  };
  const everywhere = (
    <ConfirmButton label="Sign out everywhere" danger onConfirm={endAll}>
      <p>Ends all sessions, also this one. API keys keep working.</p>
    </ConfirmButton>
  );
  return (
    <Card title="Sessions" actions={sessions.data && sessions.data.content.length > 0 ? everywhere : null}>
      <Loaded resource={sessions}>
        {({ content }) =>
          content.length === 0 ? (
            <Empty title="No sessions.">You are signed in with a key only.</Empty>
          ) : (
            <DataTable label="Sessions" columns={columnsOf(sessions.reload)} rows={content} keyOf={({ id }) => id} />
          )
        }
      </Loaded>
    </Card>
  );
};

const columnsOf = (onEnded: () => void): readonly Column<Session>[] => [
  {
    header: 'Device',
    cell: ({ device, current }) => (
      <>
        {device ?? <span class="quiet">erased</span>}
        {current && <span class="quiet"> (this session)</span>}
      </>
    ),
  },
  { header: 'Signed in', cell: ({ createdTimestamp }) => <Time at={createdTimestamp} /> },
  LAST_USED,
  {
    header: 'Actions',
    bare: true,
    cell: (session) => <EndButton session={session} onEnded={onEnded} />,
  },
];

const EndButton = ({ session: { id, current }, onEnded }: { readonly session: Session; readonly onEnded: () => void }) => {
  const { busy, error, run } = useAction(async () => {
    const ended = await ask('DELETE', `${SESSIONS}/${id}`);
    if (current) return signOut(null, ended);
    announce('Session ended');
    onEnded();
  });
  return (
    <>
      <button type="button" class="button" disabled={busy} onClick={() => void run()}>
        Sign out
      </button>
      {error && <ErrorNote error={error} />}
    </>
  );
};

import { useState } from 'preact/hooks';
import { getJson } from '../../api/request.ts';
import type { PageOf } from '../../api/types.ts';
import { useResource } from '../../api/useResource.ts';
import { CopyText, shortId } from '../../parts/CopyText.tsx';
import { Cost } from '../../parts/Cost.tsx';
import { type Column, DataTable, Pager } from '../../parts/DataTable.tsx';
import { bytes, count } from '../../parts/format.ts';
import { Empty, Loaded } from '../../parts/Notes.tsx';
import { PageFrame } from '../../parts/Page.tsx';
import { refine } from '../../shell/place.ts';
import { LAST_USED } from '../credentials/columns.tsx';
import type { IssuedCredential } from '../credentials/credentials.ts';
import { IssueDialog } from '../credentials/IssueDialog.tsx';
import { SecretDialog } from '../credentials/SecretDialog.tsx';
import { EraseUserDialog } from './EraseUserDialog.tsx';
import { UserDialog } from './UserDialog.tsx';
import { USERS, type User } from './users.ts';

const SIZE = 20;

type Work = { readonly kind: 'change' | 'key' | 'erase'; readonly user: User };

/** People who signed in and owners of credentials, for administrators. */
export const UserList = ({ query }: { readonly query: URLSearchParams }) => {
  const [work, setWork] = useState<Work | null>(null);
  const [shown, show] = useState<IssuedCredential | null>(null);
  const wanted = { page: Number(query.get('page') ?? 0), size: SIZE };
  const users = useResource({
    key: JSON.stringify(wanted),
    load: (signal) => getJson<PageOf<User>>(USERS, { query: wanted, signal }),
  });
  const close = () => setWork(null);
  const done = () => {
    close();
    users.reload();
  };
  const issued = (credential: IssuedCredential) => {
    show(credential);
    done();
  };
  return (
    <PageFrame title="Users" lead="People who signed in, and owners of credentials, with what they keep.">
      <div class="card flush">
        <Loaded resource={users}>
          {(page) =>
            page.content.length === 0 ? (
              <Empty title="No users yet." />
            ) : (
              <>
                <DataTable label="Users" columns={columnsOf(setWork)} rows={page.content} keyOf={({ id }) => id} />
                <Pager page={page} onPage={(number) => refine({ page: number || null })} />
              </>
            )
          }
        </Loaded>
      </div>
      {work?.kind === 'change' && <UserDialog user={work.user} onChanged={done} onClose={close} />}
      {work?.kind === 'key' && <IssueDialog subject={work.user.subject} onIssued={issued} onClose={close} />}
      {work?.kind === 'erase' && <EraseUserDialog user={work.user} onClose={done} />}
      {shown && <SecretDialog credential={shown} onClose={() => show(null)} />}
    </PageFrame>
  );
};

const SOURCES: Readonly<Record<string, string>> = { claim: 'by the identity provider', administrator: 'by an administrator' };

const columnsOf = (begin: (work: Work) => void): readonly Column<User>[] => [
  { header: 'Name', cell: (user) => <Name user={user} /> },
  {
    header: 'Role',
    cell: ({ role, roleSource, disabled }) => (
      <>
        {disabled ? <strong>disabled</strong> : (role ?? <span class="quiet">none</span>)}
        {!disabled && roleSource !== null && SOURCES[roleSource] && <span class="quiet small"> {SOURCES[roleSource]}</span>}
      </>
    ),
  },
  { ...LAST_USED, header: 'Last seen' },
  { header: 'Streams', numeric: true, cell: ({ streams }) => count(streams) },
  { header: 'Kept', numeric: true, cell: ({ keptBytes }) => <span class="whole">{bytes(keptBytes)}</span> },
  { header: 'This month', numeric: true, cell: ({ creditsOfMonth }) => <Cost credits={creditsOfMonth} /> },
  {
    header: 'Actions',
    bare: true,
    cell: (user) => (
      <div class="actions">
        {user.kind === 'person' && (
          <button type="button" class="button" onClick={() => begin({ kind: 'change', user })}>
            Change
          </button>
        )}
        <button type="button" class="button" onClick={() => begin({ kind: 'key', user })}>
          New key
        </button>
        <button type="button" class="button danger" onClick={() => begin({ kind: 'erase', user })}>
          Erase
        </button>
      </div>
    ),
  },
];

const Name = ({ user: { id, kind, subject, name, email } }: { readonly user: User }) => (
  <>
    {name ?? <span class="quiet">erased</span>}
    {kind === 'owner' && <span class="quiet small"> (label of a key)</span>}
    {email !== null && email !== name && <div class="quiet small">{email}</div>}
    <div class="small">
      <CopyText text={subject} label="owner id" shown={shortId(subject)} />
      {subject !== id && <span class="quiet"> (linked)</span>}
    </div>
  </>
);

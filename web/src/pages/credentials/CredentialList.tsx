import { useState } from 'preact/hooks';
import { getJson } from '../../api/request.ts';
import type { CredentialResource, PageOf } from '../../api/types.ts';
import { useResource } from '../../api/useResource.ts';
import { CopyText, shortId } from '../../parts/CopyText.tsx';
import { type Column, DataTable, Pager } from '../../parts/DataTable.tsx';
import { Empty, Loaded, Note } from '../../parts/Notes.tsx';
import { OwnerFilter } from '../../parts/OwnerFilter.tsx';
import { PageFrame } from '../../parts/Page.tsx';
import { Time } from '../../parts/Time.tsx';
import { href, refine } from '../../shell/place.ts';
import { session } from '../../shell/session.ts';
import { EXPIRES, LAST_USED } from './columns.tsx';
import { CREDENTIALS, type IssuedCredential, KIND_NAMES, nameOfIssuer, useIssuers } from './credentials.ts';
import { IssueDialog } from './IssueDialog.tsx';
import { type Changes, RotateAndRevoke } from './RotateAndRevoke.tsx';
import { SecretDialog } from './SecretDialog.tsx';

const SIZE = 20;
const EVERYBODY = '*';

/** The credentials of all owners, or of the owner in the address. */
export const CredentialList = ({ query }: { readonly query: URLSearchParams }) => {
  const [isIssuing, setIssuing] = useState(false);
  const [shown, show] = useState<IssuedCredential | null>(null);
  const owner = query.get('subject');
  const wanted = { subject: owner ?? EVERYBODY, page: Number(query.get('page') ?? 0), size: SIZE };
  const credentials = useResource({
    key: JSON.stringify(wanted),
    load: (signal) => getJson<PageOf<CredentialResource>>(CREDENTIALS, { query: wanted, signal }),
  });
  const issuers = useIssuers(credentials.data?.content ?? []);
  const issued = (credential: IssuedCredential) => {
    setIssuing(false);
    show(credential);
    credentials.reload();
  };
  return (
    <PageFrame
      title="Credentials"
      lead="Keys and clients that may call this server. A secret is shown once, when it is made."
      actions={
        <button type="button" class="button primary" onClick={() => setIssuing(true)}>
          Issue credential
        </button>
      }
    >
      <OwnerFilter query={query} label="Filter credentials" whose="all" />
      <div class="card flush">
        <Loaded resource={credentials}>
          {(page) =>
            page.content.length === 0 ? (
              <NoCredentials />
            ) : (
              <>
                <DataTable
                  label="Credentials"
                  columns={columnsOf({ onRotated: issued, onRevoked: credentials.reload }, issuers)}
                  rows={page.content}
                  keyOf={({ id }) => id}
                />
                <Pager page={page} onPage={(number) => refine({ page: number || null })} />
              </>
            )
          }
        </Loaded>
      </div>
      {isIssuing && <IssueDialog subject={owner} onIssued={issued} onClose={() => setIssuing(false)} />}
      {shown && <SecretDialog credential={shown} onClose={() => show(null)} />}
    </PageFrame>
  );
};

const NoCredentials = () => (
  <Empty title="This owner has no credentials.">
    Issue one, or <a href={href(['credentials'])}>show all credentials</a>.
  </Empty>
);

const columnsOf = (changes: Changes, issuers: ReadonlyMap<string, string>): readonly Column<CredentialResource>[] => [
  {
    header: 'Label',
    cell: ({ id, label }) => (
      <>
        {label ?? <span class="quiet">erased</span>}
        {isOwn(id) && <span class="quiet"> (this session)</span>}
      </>
    ),
  },
  { header: 'Kind', cell: ({ kind }) => <span class="whole">{KIND_NAMES[kind]}</span> },
  { header: 'Role', cell: ({ role }) => role },
  {
    header: 'Client id',
    cell: ({ clientId }) =>
      clientId === undefined ? <span class="quiet">none</span> : <CopyText text={clientId} label="client id" shown={shortId(clientId)} />,
  },
  { header: 'Owner', cell: ({ subject }) => <CopyText text={subject} label="owner id" shown={shortId(subject)} /> },
  {
    header: 'Issued',
    cell: ({ createdTimestamp, issuedBy, issuerName }) => (
      <>
        <Time at={createdTimestamp} /> <span class="quiet">by {issuerName ?? issuers.get(issuedBy) ?? nameOfIssuer(issuedBy)}</span>
      </>
    ),
  },
  LAST_USED,
  EXPIRES,
  {
    header: 'Actions',
    bare: true,
    cell: (credential) => <RotateAndRevoke credential={credential} warning={isOwn(credential.id) && <OwnWarning />} {...changes} />,
  },
];

const isOwn = (id: string): boolean => session.value?.caller.credential?.id === id;

const OwnWarning = () => (
  <Note tone="warn">You are signed in with this credential. You will be signed out. Check that you have another administrator’s key.</Note>
);

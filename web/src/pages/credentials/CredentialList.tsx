import { useState } from 'preact/hooks';
import { getJson } from '../../api/request.ts';
import type { CredentialResource, PageOf } from '../../api/types.ts';
import { useResource } from '../../api/useResource.ts';
import { CopyText, shortId } from '../../parts/CopyText.tsx';
import { type Column, DataTable, Pager } from '../../parts/DataTable.tsx';
import { ConfirmButton } from '../../parts/Dialog.tsx';
import { day } from '../../parts/format.ts';
import { Empty, Loaded, Note } from '../../parts/Notes.tsx';
import { OwnerFilter } from '../../parts/OwnerFilter.tsx';
import { PageFrame } from '../../parts/Page.tsx';
import { Time } from '../../parts/Time.tsx';
import { announce } from '../../shell/Announcer.tsx';
import { href, refine } from '../../shell/place.ts';
import { session } from '../../shell/session.ts';
import { CREDENTIALS, type IssuedCredential, KIND_NAMES, nameOfIssuer, revoke, rotate, useIssuers } from './credentials.ts';
import { IssueDialog } from './IssueDialog.tsx';
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

interface Changes {
  readonly onRotated: (credential: IssuedCredential) => void;
  readonly onRevoked: () => void;
}

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
  {
    header: 'Last used',
    cell: ({ lastUsedTimestamp }) => (lastUsedTimestamp === null ? <span class="quiet">never</span> : <Time at={lastUsedTimestamp} />),
  },
  {
    header: 'Expires',
    cell: ({ expiresTimestamp }) => (expiresTimestamp === null ? <span class="quiet">never</span> : day(expiresTimestamp)),
  },
  { header: 'Actions', bare: true, cell: (credential) => <RowActions credential={credential} {...changes} /> },
];

const isOwn = (id: string): boolean => session.value?.caller.credential?.id === id;

const OwnWarning = () => (
  <Note tone="warn">You are signed in with this credential. You will be signed out. Check that you have another administrator’s key.</Note>
);

const RowActions = ({ credential: { id, label }, onRotated, onRevoked }: { readonly credential: CredentialResource } & Changes) => (
  <div class="actions">
    <ConfirmButton label="Rotate" onConfirm={async () => onRotated(await rotate(id))}>
      {isOwn(id) && <OwnWarning />}
      <p>“{label}” gets a new secret, which is shown once. The old secret and every token made with it stop working at once.</p>
    </ConfirmButton>
    <ConfirmButton
      label="Revoke"
      danger
      onConfirm={async () => {
        await revoke(id);
        announce('Credential revoked');
        onRevoked();
      }}
    >
      {isOwn(id) && <OwnWarning />}
      <p>“{label}” and every token made with it stop working within a second. This cannot be undone.</p>
    </ConfirmButton>
  </div>
);

import { useState } from 'preact/hooks';
import { getJson } from '../../api/request.ts';
import type { CredentialResource, PageOf, Role } from '../../api/types.ts';
import { useResource } from '../../api/useResource.ts';
import { type Column, DataTable, Pager } from '../../parts/DataTable.tsx';
import { ConfirmButton } from '../../parts/Dialog.tsx';
import { day } from '../../parts/format.ts';
import { Empty, Loaded } from '../../parts/Notes.tsx';
import { Card } from '../../parts/Page.tsx';
import { Time } from '../../parts/Time.tsx';
import { announce } from '../../shell/Announcer.tsx';
import { session } from '../../shell/session.ts';
import { CREDENTIALS, type IssuedCredential, revoke, rotate } from '../credentials/credentials.ts';
import { IssueDialog } from '../credentials/IssueDialog.tsx';
import { SecretDialog } from '../credentials/SecretDialog.tsx';

const SIZE = 20;

/** The credentials of the user, who makes and revokes them without an administrator. */
export const OwnKeys = () => {
  const [page, setPage] = useState(0);
  const [isIssuing, setIssuing] = useState(false);
  const [shown, show] = useState<IssuedCredential | null>(null);
  const { subject = '', roles = [] } = session.value?.caller ?? {};
  const wanted = { subject, page, size: SIZE };
  const keys = useResource({
    key: JSON.stringify(wanted),
    load: (signal) => getJson<PageOf<CredentialResource>>(CREDENTIALS, { query: wanted, signal }),
  });
  const issued = (credential: IssuedCredential) => {
    setIssuing(false);
    show(credential);
    keys.reload();
  };
  const add = (
    <button type="button" class="button primary" onClick={() => setIssuing(true)}>
      New API key
    </button>
  );
  return (
    <Card title="API keys" actions={add}>
      <Loaded resource={keys}>
        {(found) =>
          found.content.length === 0 ? (
            <Empty title="No API key yet.">Make one for each of your programs.</Empty>
          ) : (
            <>
              <DataTable label="API keys" columns={columnsOf(issued, keys.reload)} rows={found.content} keyOf={({ id }) => id} />
              <Pager page={found} onPage={setPage} />
            </>
          )
        }
      </Loaded>
      {isIssuing && <IssueDialog subject={subject} ownRoles={grantable(roles)} onIssued={issued} onClose={() => setIssuing(false)} />}
      {shown && <SecretDialog credential={shown} onClose={() => show(null)} />}
    </Card>
  );
};

/** The roles that a user's own keys may have. */
const grantable = (roles: readonly Role[]): readonly Role[] =>
  roles.includes('admin') ? ['user', 'gateway', 'auditor', 'admin'] : [...new Set<Role>(['user', ...roles])];

const columnsOf = (onRotated: (credential: IssuedCredential) => void, onRevoked: () => void): readonly Column<CredentialResource>[] => [
  { header: 'Label', cell: ({ label }) => label },
  { header: 'Role', cell: ({ role }) => role },
  { header: 'Made', cell: ({ createdTimestamp }) => <Time at={createdTimestamp} /> },
  {
    header: 'Last used',
    cell: ({ lastUsedTimestamp }) => (lastUsedTimestamp === null ? <span class="quiet">never</span> : <Time at={lastUsedTimestamp} />),
  },
  {
    header: 'Expires',
    cell: ({ expiresTimestamp }) => (expiresTimestamp === null ? <span class="quiet">never</span> : day(expiresTimestamp)),
  },
  {
    header: 'Actions',
    bare: true,
    cell: ({ id, label }) => (
      <div class="actions">
        <ConfirmButton label="Rotate" onConfirm={async () => onRotated(await rotate(id))}>
          <p>“{label}” gets a new secret, which is shown once. The old secret stops working at once.</p>
        </ConfirmButton>
        <ConfirmButton
          label="Revoke"
          danger
          onConfirm={async () => {
            await revoke(id);
            announce('Key revoked');
            onRevoked();
          }}
        >
          <p>Programs with “{label}” stop working within a second. This cannot be undone.</p>
        </ConfirmButton>
      </div>
    ),
  },
];

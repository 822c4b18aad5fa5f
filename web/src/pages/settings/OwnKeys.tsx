import { useState } from 'preact/hooks';
import { getJson } from '../../api/request.ts';
import type { CredentialResource, PageOf, Role } from '../../api/types.ts';
import { useResource } from '../../api/useResource.ts';
import { type Column, DataTable, Pager } from '../../parts/DataTable.tsx';
import { Empty, Loaded } from '../../parts/Notes.tsx';
import { Card } from '../../parts/Page.tsx';
import { Time } from '../../parts/Time.tsx';
import { session } from '../../shell/session.ts';
import { EXPIRES, LAST_USED } from '../credentials/columns.tsx';
import { CREDENTIALS, type IssuedCredential, ROLES } from '../credentials/credentials.ts';
import { IssueDialog } from '../credentials/IssueDialog.tsx';
import { type Changes, RotateAndRevoke } from '../credentials/RotateAndRevoke.tsx';
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
              <DataTable
                label="API keys"
                columns={columnsOf({ onRotated: issued, onRevoked: keys.reload })}
                rows={found.content}
                keyOf={({ id }) => id}
              />
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
const grantable = (roles: readonly Role[]): readonly Role[] => (roles.includes('admin') ? ROLES : [...new Set<Role>(['user', ...roles])]);

const columnsOf = (changes: Changes): readonly Column<CredentialResource>[] => [
  { header: 'Label', cell: ({ label }) => label },
  { header: 'Role', cell: ({ role }) => role },
  { header: 'Made', cell: ({ createdTimestamp }) => <Time at={createdTimestamp} /> },
  LAST_USED,
  EXPIRES,
  { header: 'Actions', bare: true, cell: (credential) => <RotateAndRevoke credential={credential} {...changes} /> },
];

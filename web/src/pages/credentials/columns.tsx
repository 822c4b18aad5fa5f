import type { CredentialResource } from '../../api/types.ts';
import type { Column } from '../../parts/DataTable.tsx';
import { day } from '../../parts/format.ts';
import { Time } from '../../parts/Time.tsx';

/** Of a credential, a session or a user. */
export const LAST_USED: Column<{ readonly lastUsedTimestamp: string | null }> = {
  header: 'Last used',
  cell: ({ lastUsedTimestamp }) => (lastUsedTimestamp === null ? <span class="quiet">never</span> : <Time at={lastUsedTimestamp} />),
};

export const EXPIRES: Column<CredentialResource> = {
  header: 'Expires',
  cell: ({ expiresTimestamp }) => (expiresTimestamp === null ? <span class="quiet">never</span> : day(expiresTimestamp)),
};

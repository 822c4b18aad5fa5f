import { getJson } from '../../../api/request.ts';
import type { PageOf } from '../../../api/types.ts';
import { useResource } from '../../../api/useResource.ts';
import { shortId } from '../../../parts/CopyText.tsx';
import { isAdmin } from '../../../shell/session.ts';
import { USERS, type User } from '../../users/users.ts';

// The newest; the page of the users lists all.
const MOST = 100;

/** The owners whose streams an administrator may look at, by name. */
export const useOwners = (): readonly (readonly [subject: string, shown: string])[] => {
  const { data } = useResource({
    key: `owners ${isAdmin.value}`,
    load: async (signal) => (isAdmin.value ? getJson<PageOf<User>>(USERS, { query: { size: MOST }, signal }) : null),
  });
  return (data?.content ?? []).map(({ subject, name, email }) => [subject, name ?? email ?? shortId(subject)] as const);
};

import type { Documents } from '../stores/documents.ts';
import type { BackupReport } from './backup.ts';

/** What is remembered of the newest backup. */
export interface BackupNote extends Pick<BackupReport, 'directory' | 'position' | 'bytes' | 'verified'> {
  /** ISO 8601. */
  readonly timestamp: string;
}

const COLLECTION = 'backups';
const NEWEST = 'newest';

type Store = Pick<Documents, 'ensureCollection' | 'get' | 'create' | 'replace'>;

/** Remembers a backup that has ended well. It is not part of itself. */
export const recordBackup = async (documents: Store, { timestamp, directory, position, bytes, verified }: BackupNote): Promise<void> => {
  await documents.ensureCollection({ name: COLLECTION, indexes: [] });
  const body = { timestamp, directory, position, bytes, verified };
  if (!(await documents.create(COLLECTION, NEWEST, body))) await documents.replace(COLLECTION, NEWEST, body);
};

/** `null` when none was made with this data directory. */
export const newestBackup = async (documents: Store & Pick<Documents, 'listCollections'>): Promise<BackupNote | null> => {
  if (!(await documents.listCollections(COLLECTION)).includes(COLLECTION)) return null;
  const stored = await documents.get(COLLECTION, NEWEST);
  // Safe cast: only `recordBackup` writes it.
  return (stored?.body ?? null) as BackupNote | null;
};

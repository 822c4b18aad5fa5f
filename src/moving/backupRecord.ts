import type { Documents } from '../stores/documents.ts';

/** What is remembered of the newest backup. */
export interface BackupNote {
  /** ISO 8601. */
  readonly timestamp: string;
  readonly directory: string;
  /** Position in the log up to which it goes. */
  readonly position: string | null;
  readonly bytes: number;
  readonly verified: boolean;
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
  if (!stored) return null;
  const { timestamp, directory, position, bytes, verified } = stored.body;
  return {
    timestamp: String(timestamp),
    directory: String(directory),
    position: typeof position === 'string' ? position : null,
    bytes: Number(bytes),
    verified: verified === true,
  };
};

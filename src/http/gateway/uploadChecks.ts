import { loadGroup } from '../../commands/groups.ts';
import { isFull } from '../../commands/openStreams/places.ts';
import { tooManyStreams, type UploadDeps } from '../../commands/upload.ts';
import type { Caller } from '../../domain/credentials/caller.ts';
import { joinGroup } from '../../domain/group/decisions.ts';
import type { Limits } from '../../limits.ts';
import type { KeptBytes } from '../../projections/keptBytes.ts';
import type { DiskSpace } from '../../stores/diskSpace.ts';
import { checkRoom } from '../route/admission.ts';
import type { PreparedUpload, UploadIdentity, UploadPlanner } from './planner.ts';
import type { UploadParameters } from './uploadParameters.ts';

export interface UploadCheckDeps extends UploadDeps {
  readonly planner: UploadPlanner;
  readonly limits: Limits;
  readonly disk: DiskSpace;
  readonly keptBytes: Pick<KeptBytes, 'check'>;
}

interface NewUpload {
  readonly parameters: UploadParameters;
  readonly identity: UploadIdentity;
  readonly caller: Caller;
  /** Its body may still patch the template: the engines are checked later. */
  readonly mayChange: boolean;
}

/** All checks that need neither the bytes of an upload nor their number. Taking the place and joining the group decide again. */
export const prepareUpload = async (deps: UploadCheckDeps, upload: NewUpload): Promise<PreparedUpload> => {
  const { planner, runningStreams } = deps;
  const { parameters, caller, mayChange } = upload;
  const prepared = await planner.prepare(parameters, caller);
  if (!mayChange) await planner.checkEngines(prepared);
  await checkGroup(deps, upload);
  if (await isFull(deps, caller.subject)) throw tooManyStreams(runningStreams);
  return prepared;
};

/** Throws 503 if the disk has no room for the bytes, and 429 if the user's streams may not keep that many more. */
export const checkSpace = async ({ disk, keptBytes }: UploadCheckDeps, subject: string, bytes: number): Promise<void> => {
  checkRoom(disk, bytes);
  await keptBytes.check(subject, bytes);
};

const checkGroup = async (
  { log, limits }: UploadCheckDeps,
  { parameters, identity: { streamId }, caller: { subject } }: NewUpload,
): Promise<void> => {
  // Without a group id, the group has the stream's id, and one chosen by the caller may already be a group.
  const groupId = parameters.groupId ?? parameters.id;
  if (groupId === null) return;
  joinGroup(await loadGroup(log, groupId), { groupId, streamId, subject, webhooks: [] }, limits.maxStreamsPerGroup);
};

import { conflict, unavailable } from '../../domain/problem.ts';
import type { ProjectionStatus } from '../projection.ts';
import type { Build } from './builds.ts';

export interface RebuildOptions {
  /** Called when the rebuild can no longer be refused. */
  readonly onBegun?: () => void;
  /** Called for each new build about twice a second. */
  readonly onProgress?: (status: ProjectionStatus) => void;
}

export interface RebuildDeps {
  /** The record of a build, as of the last look. */
  readonly find: (collection: string) => Build | undefined;
  /** Waits up to half a second for a change. */
  readonly nextLook: () => Promise<void>;
  readonly statusOf: (build: Build) => Promise<ProjectionStatus>;
}

/** Waits until the leader has completed a requested build. Rejects with a `Problem` if it stops at an event or is withdrawn. */
export const builtByLeader = async (deps: RebuildDeps, collection: string, { onProgress }: RebuildOptions): Promise<void> => {
  for (;;) {
    const record = deps.find(collection);
    if (!record) throw unavailable('The rebuild was withdrawn.');
    onProgress?.(await deps.statusOf(record));
    if (record.phase === 'active') return;
    if (record.phase === 'retired' || record.stopped) throw notBuilt(record);
    await deps.nextLook();
  }
};

const notBuilt = ({ name, generation, stopped }: Build): Error => {
  if (!stopped) return unavailable('The rebuild was withdrawn.');
  const { position, eventType, reason } = stopped;
  const old = generation > 0 ? ' The old read model is still served.' : '';
  return conflict(`The rebuild of ${name} stopped at position ${position} (${eventType}): ${reason}.${old}`);
};

import type { Clock } from '../../clock.ts';
import type { Documents } from '../../stores/documents.ts';
import type { Position } from '../../stores/eventStore.ts';
import type { EventLog } from '../../stores/log/eventLog.ts';
import type { ProjectionStatus } from '../projection.ts';
import { type Build, type Builds, checkpointOf } from './builds.ts';
import type { BuildUpdater } from './buildUpdater.ts';
import { lagOf } from './lag.ts';

export interface StatusDeps {
  readonly log: EventLog;
  readonly documents: Documents;
  readonly builds: Builds;
  readonly clock: Clock;
}

/** Status row of one build: from its updater if it runs here, otherwise from the stored record. */
export const statusOf = async (deps: StatusDeps, updater: BuildUpdater, head: Position | null): Promise<ProjectionStatus> => {
  const { name, version } = updater.projection;
  const runs = updater.state !== 'standby' && updater.state !== 'ended';
  const build = runs ? updater.build : ((await deps.builds.get(updater.build.collection)) ?? updater.build);
  const position = runs ? updater.handled : ((await deps.documents.readCheckpoint(checkpointOf(build)))?.position ?? null);
  const lag = await lagOf(deps.log, position, head, deps.clock.now());
  const rate = Math.round(updater.rate.perSecond() * 10) / 10;
  return {
    name,
    version,
    position,
    head,
    ...lag,
    rate,
    state: stateOf(build, updater, lag.lagEvents),
    error: errorOf(build) ?? updater.trouble,
  };
};

const stateOf = (build: Build, updater: BuildUpdater, lagEvents: number): ProjectionStatus['state'] => {
  if (build.stopped) return 'stopped';
  if (build.phase === 'building') return 'rebuilding';
  return lagEvents === 0 || updater.state === 'live' ? 'live' : 'catching-up';
};

const errorOf = ({ name, stopped }: Build): string | null => {
  if (!stopped) return null;
  const { eventId, eventType, position, reason } = stopped;
  return (
    `${reason} (${eventType}, event ${eventId}, position ${position}). Fix the cause and start again, ` +
    `or skip the event: tributary projections skip ${name} ${position}`
  );
};

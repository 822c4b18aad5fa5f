import type { Clock } from '../../clock.ts';
import type { Documents } from '../../stores/documents.ts';
import type { Position } from '../../stores/eventStore.ts';
import type { EventLog } from '../../stores/log/eventLog.ts';
import type { ProjectionStatus } from '../projection.ts';
import { type Build, type Builds, checkpointOf } from './builds.ts';
import { lagOf } from './lag.ts';
import type { Runner } from './runner.ts';

export interface StatusDeps {
  readonly log: EventLog;
  readonly documents: Documents;
  readonly builds: Builds;
  readonly clock: Clock;
}

/** The row of one build: from its runner, or, when that does not run here, from what is stored. */
export const statusOf = async (deps: StatusDeps, runner: Runner, head: Position | null): Promise<ProjectionStatus> => {
  const { name, version } = runner.projection;
  const runs = runner.state !== 'standby' && runner.state !== 'ended';
  const build = runs ? runner.build : ((await deps.builds.get(runner.build.collection)) ?? runner.build);
  const position = runs ? runner.handled : ((await deps.documents.readCheckpoint(checkpointOf(build)))?.position ?? null);
  const lag = await lagOf(deps.log, position, head, deps.clock.now());
  const rate = Math.round(runner.rate.perSecond() * 10) / 10;
  return {
    name,
    version,
    position,
    head,
    ...lag,
    rate,
    state: stateOf(build, runner, lag.lagEvents),
    error: errorOf(build) ?? runner.trouble,
  };
};

const stateOf = (build: Build, runner: Runner, lagEvents: number): ProjectionStatus['state'] => {
  if (build.stopped) return 'stopped';
  if (build.phase === 'building') return 'rebuilding';
  return lagEvents === 0 || runner.state === 'live' ? 'live' : 'catching-up';
};

const errorOf = ({ name, stopped }: Build): string | null => {
  if (!stopped) return null;
  const { eventId, eventType, position, reason } = stopped;
  return (
    `${reason} (${eventType}, event ${eventId}, position ${position}). Fix the cause and start again, ` +
    `or skip the event: tributary projections skip ${name} ${position}`
  );
};

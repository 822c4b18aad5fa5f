import type { Clock } from '../../clock.ts';
import type { Position } from '../../stores/eventStore.ts';
import type { EventLog } from '../../stores/log/eventLog.ts';
import { shareOf } from '../../stores/log/logShare.ts';
import type { ProjectionStatus } from '../projection.ts';
import type { Build } from './builds.ts';
import type { Led } from './leader.ts';

/** Few, because a rebuild that is watched is measured often. */
const COUNTED_EVENTS = 20;

/** Number of events after `position`, counted up to 20 and estimated beyond, and the age of the first one in seconds. */
export const lagOf = async (
  log: Pick<EventLog, 'readStored'>,
  position: Position | null,
  head: Position | null,
  now: number,
): Promise<{ lagEvents: number; lagSeconds: number }> => {
  if (head === null || (position !== null && position >= head)) return { lagEvents: 0, lagSeconds: 0 };
  const next = await log.readStored({ after: position, limit: COUNTED_EVENTS });
  const [first] = next;
  const last = next[COUNTED_EVENTS - 1];
  if (!first) return { lagEvents: 0, lagSeconds: 0 };
  // An event without a time is unreadable, so it does not count as waiting.
  const lagSeconds = Math.max(0, (now - Date.parse(String(first.metadata.time))) / 1_000 || 0);
  const share = last ? shareOf(position, last.position, head) : 1;
  return { lagEvents: share ? Math.round(next.length / share) : next.length, lagSeconds };
};

/** Status row of a build. `led` is what this process knows of it as the leader. */
export const statusOf = async (
  { log, clock }: { readonly log: EventLog; readonly clock: Clock },
  build: Build,
  position: Position | null,
  led: Led | null,
  head: Position | null,
): Promise<ProjectionStatus> => {
  const { name, version } = build;
  const lag = await lagOf(log, position, head, clock.now());
  const rate = Math.round((led?.rate.perSecond() ?? 0) * 10) / 10;
  const state = stateOf(build, led?.live || lag.lagEvents === 0);
  return { name, version, position, head, ...lag, rate, state, error: errorOf(build) ?? led?.trouble ?? null };
};

const stateOf = ({ stopped, phase }: Build, live: boolean): ProjectionStatus['state'] => {
  if (stopped) return 'stopped';
  if (phase === 'building') return 'rebuilding';
  return live ? 'live' : 'catching-up';
};

const errorOf = ({ name, stopped }: Build): string | null => {
  if (!stopped) return null;
  const { eventId, eventType, position, reason } = stopped;
  return (
    `${reason} (${eventType}, event ${eventId}, position ${position}). Fix the cause and start again, ` +
    `or skip the event: tributary projections skip ${name} ${position}`
  );
};

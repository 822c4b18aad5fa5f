import type { ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { Hiding, Position } from '../eventStore.ts';
import { storedObject } from '../log/unreadableEvent.ts';
import { Away, failureOf } from './away.ts';
import type { Connection } from './connection.ts';
import type { Deadlines } from './deadlines.ts';
import type { Driver } from './driver.ts';
import { filteredSubscription } from './readRequest.ts';
import { EventRecord } from './record.ts';
import type { Session } from './session.ts';

const [METADATA, TOMBSTONE] = ['$metadata', '$streamDeleted'];
/**
 * `$tb` of a deleted event stream is the highest revision, 2^63 - 1. A JavaScript number cannot represent that exactly, so any value from 2^62 on means
 * deleted.
 */
const DELETED = 2 ** 62;

/** The visibility setting in an event of the store; `null` for any other event. */
export const hidingOf = ({ eventStream, type, position, text }: EventRecord): Hiding | null => {
  if (type === TOMBSTONE) return { eventStream, position, hides: 'all' };
  if (type !== METADATA || !eventStream.startsWith('$$')) return null;
  const { $tb: before, $maxAge: maxAge, $maxCount: maxCount } = storedObject(text.data);
  const about = { eventStream: eventStream.slice(2), position };
  if (typeof before === 'number' && before >= DELETED) return { ...about, hides: 'all' };
  if ((typeof before === 'number' && before > 0) || typeof maxCount === 'number') return { ...about, hides: 'first' };
  return { ...about, hides: typeof maxAge === 'number' ? 'old' : 'nothing' };
};

export interface HidingsDeps {
  readonly driver: Driver;
  readonly connection: Connection;
  readonly deadlines: Deadlines;
}

/** All metadata and tombstones of event streams, in the order of the log, as filtered by the server. */
export const readHidings = async ({ driver, connection, deadlines }: HidingsDeps): Promise<readonly Hiding[]> => {
  const found: Hiding[] = [];
  let read: Position | null = null;
  const take = (record: EventRecord): void => {
    const hiding = hidingOf(record);
    if (hiding && !hiding.eventStream.startsWith('$')) found.push(hiding);
    read = record.position;
  };
  // A repetition continues after the last record.
  await connection.run((session) => catchUp(session, filteredSubscription(driver, read, [METADATA, TOMBSTONE]), deadlines, take));
  return found;
};

/** Reads a subscription until it has caught up. Rejects with `Away` if the server is silent for the time-out. */
const catchUp = (session: Session, request: ReadReq, deadlines: Deadlines, onRecord: (record: EventRecord) => void): Promise<void> =>
  new Promise((resolve, reject) => {
    const call = session.streams.read(request, ...session.callArguments());
    const end = (settle: () => void) => {
      deadlines.clear(deadline);
      call.cancel();
      settle();
    };
    const deadline = deadlines.set((why) => end(() => reject(why)));
    call.on('data', (answer: ReadResp) => {
      deadlines.extend(deadline);
      const recorded = answer.getEvent()?.getEvent();
      if (recorded) onRecord(new EventRecord(recorded));
      if (answer.hasCaughtUp()) end(resolve);
    });
    call.on('error', (error) => end(() => reject(failureOf(error))));
    call.on('end', () => end(() => reject(new Away('the server ended the call'))));
  });

import type { ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import { Away, failureOf, Tombstoned } from './away.ts';
import type { Deadlines } from './deadlines.ts';
import { EventRecord } from './record.ts';
import type { Session } from './session.ts';

/** A page that has grown over this ends there, whatever it may still hold: memory is bounded. */
const MAX_PAGE_BYTES = 8 * 1_048_576;

export interface Page {
  readonly records: readonly EventRecord[];
  /** The page was ended for its size: there may be more of what was asked for. */
  readonly cut: boolean;
}

/** One reading. Empty for an event stream that does not exist; rejects with `Away` when the server stays silent for the time-out. */
export const readPage = (session: Session, request: ReadReq, deadlines: Deadlines, maxBytes = MAX_PAGE_BYTES): Promise<Page> =>
  new Promise((resolve, reject) => {
    const records: EventRecord[] = [];
    let bytes = 0;
    const call = session.streams.read(request, ...session.callArguments());
    const deadline = deadlines.set(() => {
      call.cancel();
      reject(new Away('it gave no answer in time'));
    });
    const end = (cut: boolean) => {
      deadlines.clear(deadline);
      resolve({ records, cut });
    };
    call.on('data', (answer: ReadResp) => {
      const recorded = answer.getEvent()?.getEvent();
      if (!recorded || bytes > maxBytes) return;
      const record = new EventRecord(recorded);
      records.push(record);
      bytes += record.bytes;
      if (bytes > maxBytes) {
        call.cancel();
        end(true);
      } else if (records.length % EXTEND_EVERY === 0) deadlines.extend(deadline);
    });
    call.on('end', () => end(false));
    call.on('error', (error) => {
      deadlines.clear(deadline);
      const failure = failureOf(error);
      // Behind a tombstone there is nothing to read.
      if (failure instanceof Tombstoned) resolve({ records: [], cut: false });
      else reject(failure);
    });
  });

/** Events after which a long reading has earned the time-out anew. */
const EXTEND_EVERY = 50;

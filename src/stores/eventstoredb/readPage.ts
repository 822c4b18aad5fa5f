import type { ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import { failureOf } from './away.ts';
import type { Deadlines } from './deadlines.ts';
import { EventRecord } from './record.ts';
import type { Session } from './session.ts';

/** A larger page ends, so that memory is bounded. */
const MAX_PAGE_BYTES = 8 * 1_048_576;

export interface Page {
  readonly records: readonly EventRecord[];
  /** The page ended because of its size: more events may match. */
  readonly cut: boolean;
  /** The event stream does not exist, or was deleted. */
  readonly missing: boolean;
}

/** Reads one page. Rejects with `Away` if the server is silent for the time-out, and with `Tombstoned`. */
export const readPage = (session: Session, request: ReadReq, deadlines: Deadlines, wantedBytes = MAX_PAGE_BYTES): Promise<Page> =>
  new Promise((resolve, reject) => {
    const maxBytes = Math.min(wantedBytes, MAX_PAGE_BYTES);
    const records: EventRecord[] = [];
    let bytes = 0;
    let missing = false;
    const call = session.streams.read(request, ...session.callArguments());
    const deadline = deadlines.set((why) => {
      call.cancel();
      reject(why);
    });
    // At least two: the first may be the event at the position itself.
    const isFull = () => bytes > maxBytes && records.length > 1;
    const end = (cut: boolean) => {
      deadlines.clear(deadline);
      resolve({ records, cut, missing });
    };
    call.on('data', (answer: ReadResp) => {
      missing ||= answer.hasStreamNotFound();
      const recorded = answer.getEvent()?.getEvent();
      if (!recorded || isFull()) return;
      const record = new EventRecord(recorded);
      records.push(record);
      bytes += record.bytes;
      if (isFull()) {
        call.cancel();
        end(true);
      } else if (records.length % EXTEND_EVERY === 0) deadlines.extend(deadline);
    });
    call.on('end', () => end(false));
    call.on('error', (error) => {
      deadlines.clear(deadline);
      reject(failureOf(error));
    });
  });

/** Events after which the time-out of a long read restarts. */
const EXTEND_EVERY = 50;

/**
 * Waits for an append with a live subscription, and ends it. `news` if an event came; `dropped` if the server ended the subscription, with an error
 * or without one (it does so under ordinary load), or the session was retired; `nothing` if the signal aborted.
 */
export const wakeUp = (session: Session, request: ReadReq, signal: AbortSignal): Promise<'news' | 'dropped' | 'nothing'> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve('nothing');
    session.begin();
    const call = session.streams.read(request, ...session.callArguments());
    let over = false;
    const end = (how: 'news' | 'dropped' | 'nothing') => {
      if (over) return;
      over = true;
      session.retired.removeEventListener('abort', onRetired);
      signal.removeEventListener('abort', onAbort);
      // Without this, leaving a subscription leaks its call.
      call.cancel();
      session.end();
      resolve(how);
    };
    const onRetired = () => end('dropped');
    const onAbort = () => end('nothing');
    call.on('data', (answer: ReadResp) => {
      if (answer.hasEvent()) end('news');
    });
    call.on('error', () => end('dropped'));
    call.on('end', () => end('dropped'));
    session.retired.addEventListener('abort', onRetired, { once: true });
    signal.addEventListener('abort', onAbort, { once: true });
    if (session.retired.aborted) onRetired();
  });

import type { ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { Session } from './session.ts';

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

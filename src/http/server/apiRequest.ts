import type { ServerResponse } from 'node:http';
import type { Caller } from '../../domain/credentials/caller.ts';
import { connectionClosed } from './errors.ts';
import type { ApiRequest } from './route.ts';

type Parts = Pick<ApiRequest, 'params' | 'query' | 'body' | 'rawQuery' | 'correlationId' | 'incoming' | 'outgoing'>;

/** The request for a handler. Its signal is created on first use, since most handlers never use it. */
export const handlerRequest = (maybeCaller: Caller | null, parts: Parts): ApiRequest => {
  const { incoming, outgoing } = parts;
  let signal: AbortSignal | null = null;
  return {
    ...parts,
    maybeCaller,
    get caller() {
      if (!maybeCaller) throw new Error('an open route has no caller');
      return maybeCaller;
    },
    get signal() {
      signal ??= signalOf(outgoing);
      return signal;
    },
    header: (name) => {
      const value = incoming.headers[name.toLowerCase()];
      return Array.isArray(value) ? value.join(', ') : value;
    },
  };
};

const signalOf = (outgoing: ServerResponse): AbortSignal => {
  const controller = new AbortController();
  const gone = (): void => {
    if (!outgoing.writableFinished) controller.abort(connectionClosed());
  };
  if (outgoing.destroyed || outgoing.closed) gone();
  else outgoing.once('close', gone);
  return controller.signal;
};

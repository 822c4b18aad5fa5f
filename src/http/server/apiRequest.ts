import type { ServerResponse } from 'node:http';
import type { Request } from 'express';
import type { Caller } from '../../domain/credentials/caller.ts';
import { connectionClosed } from '../errors/errors.ts';
import type { RequestEnd } from '../limits/requestEnd.ts';
import type { ApiRequest, ChangedRequest } from '../route/route.ts';
import type { ExpressResponse } from './middleware.ts';

/** The request for a handler. A class, since one is made for each request: an object with accessors of its own costs many times as much. */
export class HandlerRequest implements ApiRequest {
  readonly maybeCaller: Caller | null;
  readonly params: ApiRequest['params'];
  readonly query: ApiRequest['query'];
  readonly body: unknown;
  readonly rawQuery: ApiRequest['rawQuery'];
  readonly correlationId: string;
  readonly incoming: Request;
  readonly outgoing: ExpressResponse;
  readonly memory: ApiRequest['memory'];
  readonly place: ApiRequest['place'];
  readonly #end: RequestEnd;
  #signal: AbortSignal | null = null;

  constructor(incoming: Request, outgoing: ExpressResponse) {
    const { trace, params, query, body, memory, place, end } = outgoing.locals;
    this.maybeCaller = trace.caller;
    this.params = params;
    this.query = query;
    this.body = body;
    this.rawQuery = trace.rawQuery;
    this.correlationId = trace.correlationId;
    this.incoming = incoming;
    this.outgoing = outgoing;
    this.memory = memory;
    this.place = place;
    this.#end = end;
  }

  get caller(): Caller {
    if (!this.maybeCaller) throw new Error('an open route has no caller');
    return this.maybeCaller;
  }

  /** Created on first use, since most handlers never use it. */
  get signal(): AbortSignal {
    this.#signal ??= signalOf(this.outgoing, this.#end);
    return this.#signal;
  }

  with<Changes extends ChangedRequest>(changes: Changes): ApiRequest & Changes {
    return Object.assign(new HandlerRequest(this.incoming, this.outgoing), this, changes);
  }

  header = (name: string): string | undefined => {
    const value = this.incoming.headers[name.toLowerCase()];
    return Array.isArray(value) ? value.join(', ') : value;
  };
}

const signalOf = (outgoing: ServerResponse, end: RequestEnd): AbortSignal => {
  const controller = new AbortController();
  end.add(() => {
    if (!outgoing.writableFinished) controller.abort(connectionClosed());
  });
  return controller.signal;
};

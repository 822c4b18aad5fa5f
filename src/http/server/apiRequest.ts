import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Caller } from '../../domain/credentials/caller.ts';
import { connectionClosed } from './errors.ts';
import type { ApiRequest } from './route.ts';

export interface RequestParts {
  readonly caller: Caller | null;
  readonly params: ApiRequest['params'];
  readonly query: ApiRequest['query'];
  readonly body: unknown;
  readonly rawQuery: string;
  readonly correlationId: string;
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
}

/** The request for a handler. Its signal is created on first use, since most handlers never use it. */
export class HandlerRequest implements ApiRequest {
  readonly params: ApiRequest['params'];
  readonly query: ApiRequest['query'];
  readonly body: unknown;
  readonly rawQuery: string;
  readonly correlationId: string;
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly #caller: Caller | null;
  #controller: AbortController | null = null;

  constructor(parts: RequestParts) {
    this.#caller = parts.caller;
    this.params = parts.params;
    this.query = parts.query;
    this.body = parts.body;
    this.rawQuery = parts.rawQuery;
    this.correlationId = parts.correlationId;
    this.incoming = parts.incoming;
    this.outgoing = parts.outgoing;
  }

  get caller(): Caller {
    if (!this.#caller) throw new Error('an open route has no caller');
    return this.#caller;
  }

  /** `null` for a request that needed no credential. */
  get maybeCaller(): Caller | null {
    return this.#caller;
  }

  get signal(): AbortSignal {
    if (!this.#controller) {
      const controller = new AbortController();
      const gone = (): void => {
        if (!this.outgoing.writableFinished) controller.abort(connectionClosed());
      };
      if (this.outgoing.destroyed || this.outgoing.closed) gone();
      else this.outgoing.once('close', gone);
      this.#controller = controller;
    }
    return this.#controller.signal;
  }

  header = (name: string): string | undefined => {
    const value = this.incoming.headers[name.toLowerCase()];
    return Array.isArray(value) ? value.join(', ') : value;
  };
}

import type { Request } from 'express';
import type { Clock } from '../../clock.ts';
import type { Limits } from '../../limits.ts';
import { answerStream, answerWhole } from '../answers/answer.ts';
import { compressed } from '../answers/compression.ts';
import { commandHeaders, pendingHeaders, type Waiting, waitForPosition } from '../answers/consistency.ts';
import { isList, listJson } from '../answers/list.ts';
import type { OwnWrites } from '../answers/ownWrites.ts';
import { withPreconditions } from '../answers/preconditions.ts';
import type { ApiRequest, ApiResponse, Route } from '../route/route.ts';
import { HandlerRequest } from './apiRequest.ts';
import type { ExpressResponse, RouteMiddleware } from './middleware.ts';

export interface HandledOptions {
  readonly readModels: Waiting;
  /** Names of all read models, for which `Tributary-After` waits on a route that does not name its own. */
  readonly projections: readonly string[];
  readonly ownWrites: OwnWrites;
  readonly limits: Limits;
  readonly clock: Clock;
}

/** Runs the handlers of routes when the read models are far enough, and writes their answers. */
export const handled = (options: HandledOptions): RouteMiddleware => {
  const answering = new Answering(options);
  return (route) => async (request, response) => {
    await answering.answer(route, request, response);
    response.locals.ended?.();
  };
};

class Answering {
  readonly #options: HandledOptions;

  constructor(options: HandledOptions) {
    this.#options = options;
  }

  async answer(route: Route, incoming: Request, outgoing: ExpressResponse): Promise<void> {
    const request = new HandlerRequest(incoming, outgoing);
    // An error is answered with these headers too.
    setHeaders(outgoing, pendingHeaders(await this.#behind(request, route)));
    const { memory, place } = request;
    const { clock, limits } = this.#options;
    // A user who leaves too much unread gets no further answers.
    if (route.method === 'GET') memory.take(0);
    const given = await route.handle(request);
    const response = await itemByItem(route.method === 'GET' ? withPreconditions(request.header, given) : given);
    if ('chunks' in response) {
      const headOnly = incoming.method === 'HEAD';
      return answerStream(outgoing, response, { headOnly, signal: request.signal, clock, limits, memory, place });
    }
    await this.#acknowledge(request, route, response, outgoing);
    memory.add(answerWhole(outgoing, compressed(incoming, outgoing, route, response), limits));
    place.leave();
  }

  /** Makes a read wait for its read models. Returns the position that they have not reached, otherwise `null`. */
  async #behind({ maybeCaller, incoming }: ApiRequest, { method, alwaysFresh, reads = this.#options.projections }: Route) {
    if (method !== 'GET') return null;
    const after = incoming.headers['tributary-after'];
    if (after !== undefined) await waitForPosition(this.#options.readModels, String(after), reads);
    return maybeCaller && !alwaysFresh && reads.length > 0 ? this.#options.ownWrites.missing(maybeCaller, reads) : null;
  }

  async #acknowledge({ maybeCaller }: ApiRequest, { method }: Route, response: Whole, outgoing: ExpressResponse): Promise<void> {
    const { readModels, ownWrites } = this.#options;
    const { consistency, status } = response;
    if (consistency) setHeaders(outgoing, await commandHeaders(readModels, consistency));
    if (!maybeCaller) return;
    const position = consistency?.position ?? null;
    if (position !== null) ownWrites.acknowledged(maybeCaller, position);
    else if (method !== 'GET' && status < 300) await ownWrites.acknowledgedWithoutPosition(maybeCaller);
  }
}

type Whole = Exclude<ApiResponse, { chunks: unknown }>;

const setHeaders = (outgoing: ExpressResponse, headers: Readonly<Record<string, string>>): void => {
  for (const [name, value] of Object.entries(headers)) outgoing.setHeader(name, value);
};

/** A list becomes text, or pieces of text when it is long. Any other answer stays as it is. */
const itemByItem = async (response: ApiResponse): Promise<ApiResponse> => {
  if ('chunks' in response || response.contentType !== undefined || !isList(response.body)) return response;
  const contentType = 'application/json';
  const json = await listJson(response.body);
  return typeof json === 'string' ? { ...response, body: json, contentType } : { ...response, chunks: json, contentType };
};

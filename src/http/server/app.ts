import type { IncomingMessage, ServerResponse } from 'node:http';
import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import type { Clock } from '../../clock.ts';
import { type Caller, hasRole } from '../../domain/credentials/caller.ts';
import { DEFAULT_LIMITS, type Limits } from '../../limits.ts';
import type { Logger } from '../../logger.ts';
import type { Position } from '../../stores/eventStore.ts';
import { answerProblem, answerStream, answerWhole } from '../answers/answer.ts';
import { compressed } from '../answers/compression.ts';
import { commandHeaders, pendingHeaders, type Waiting, waitForPosition } from '../answers/consistency.ts';
import { CrossOrigin } from '../answers/crossOrigin.ts';
import { isList, listJson } from '../answers/list.ts';
import { type LoneLog, OwnWrites } from '../answers/ownWrites.ts';
import { withPreconditions } from '../answers/preconditions.ts';
import { securityHeaders } from '../answers/securityHeaders.ts';
import type { OpenAccess } from '../auth/openAccess.ts';
import { presentedCredential } from '../auth/presentedCredential.ts';
import { type BodyReader, bodyReader } from '../input/body.ts';
import { queryCheck } from '../input/parameters.ts';
import { type HeldMemory, MemoryBudget } from '../limits/memoryBudget.ts';
import { RequestEnd } from '../limits/requestEnd.ts';
import { type Place, RequestPlaces } from '../limits/requestPlaces.ts';
import { UserRate } from '../limits/userRate.ts';
import { isOpenAiPath } from '../openai/openAiPath.ts';
import { type AdmitCommand, isCommand } from './admission.ts';
import { HandlerRequest } from './apiRequest.ts';
import { clientAddress, type ProxyTrust } from './clientAddress.ts';
import { correlationOfRequest } from './correlation.ts';
import { forbidden, isFailure, problemOf, unforeseen, unknownPath, wrongMethod } from './errors.ts';
import { logRequest, type RequestObserver, type RequestTrace } from './requestLog.ts';
import type { ApiRequest, ApiResponse, Route } from './route.ts';
import { parameterNames, RouteTable } from './routeTable.ts';
import { decodeParameters, targetOf } from './target.ts';

export interface AppOptions {
  readonly routes: readonly Route[];
  /** Rejects with a `Problem` (401, 429, 503). */
  readonly authenticate: (incoming: IncomingMessage) => Promise<Caller>;
  readonly readModels: Waiting;
  /** Names of all read models, for which `Tributary-After` waits on a route that does not name its own. */
  readonly projections: readonly string[];
  /** Reads the log's head, if other nodes serve callers too. */
  readonly head?: (() => Promise<Position | null>) | undefined;
  /** The log of a single node. */
  readonly lone?: LoneLog | undefined;
  /** Called before every command of a caller. Default: all are accepted. */
  readonly admit?: AdmitCommand;
  /** Default: the limits without any setting. */
  readonly limits?: Limits;
  /** Shared with the WebSockets of the server. Default: one of its own. */
  readonly memory?: MemoryBudget;
  /** Proxies whose `X-Forwarded-For` names the client. Default: none. */
  readonly trusts?: ProxyTrust;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly observers?: readonly RequestObserver[];
  /** Whether callers reach the server by https. */
  readonly https?: boolean;
  /** Origins whose pages may use the interface; `*` allows every origin. */
  readonly corsOrigins?: readonly string[];
  /** Ends what is open after its credential was revoked. */
  readonly access?: Pick<OpenAccess, 'enter'>;
}

type Headers = Readonly<Record<string, string>>;

/** A route with everything that can be prepared before the first request. */
interface Operation {
  readonly route: Route;
  readonly parameters: readonly string[];
  readonly checkQuery: (rawQuery: string) => ApiRequest['query'];
  readonly readBody: BodyReader | null;
  readonly reads: readonly string[];
}

/** Handles every request: finds its route, checks it as the route says, runs the handler, answers and logs. */
export const createApp = (options: AppOptions): Express => {
  const table = new RouteTable<Operation>();
  for (const route of options.routes) table.add(route.method, route.path, operationOf(route, options));
  const handler = new RequestHandler(options, table);
  const app = express();
  app.disable('x-powered-by');
  const running = new Set<Promise<void>>();
  runningOf.set(app, running);
  app.use((incoming, outgoing) => {
    const request = handler.take(incoming, outgoing).finally(() => running.delete(request));
    running.add(request);
    return request;
  });
  // This error happened while another one was being answered.
  app.use((error: unknown, _incoming: Request, outgoing: Response, _next: NextFunction) => {
    options.logger.error({ err: error }, 'writing an answer failed');
    outgoing.destroy();
  });
  return app;
};

const runningOf = new WeakMap<Express, ReadonlySet<Promise<void>>>();

/** Resolves when every running handler has ended, even if its client has left. */
export const settled = async (app: Express): Promise<void> => {
  await Promise.allSettled(runningOf.get(app) ?? []);
};

const operationOf = (route: Route, { clock, limits = DEFAULT_LIMITS, projections }: AppOptions): Operation => ({
  route,
  parameters: parameterNames(route.path),
  checkQuery: queryCheck(route.query ?? {}),
  readBody: bodyReader(route.body, limits, clock),
  reads: route.reads ?? projections,
});

class RequestHandler {
  readonly #options: AppOptions;
  readonly #table: RouteTable<Operation>;
  readonly #headers: Headers;
  readonly #crossOrigin: CrossOrigin;
  readonly #limits: Limits;
  readonly #memory: MemoryBudget;
  readonly #places: RequestPlaces;
  readonly #rate: UserRate;
  readonly #ownWrites: OwnWrites;

  constructor(options: AppOptions, table: RouteTable<Operation>) {
    this.#options = options;
    this.#table = table;
    const limits = options.limits ?? DEFAULT_LIMITS;
    this.#limits = limits;
    this.#memory = options.memory ?? new MemoryBudget(limits);
    this.#places = new RequestPlaces(limits, options.clock);
    this.#rate = new UserRate(limits);
    this.#ownWrites = new OwnWrites(options);
    this.#crossOrigin = new CrossOrigin(options.corsOrigins ?? []);
    this.#headers = { ...securityHeaders(options.https ?? false), 'Cache-Control': 'no-store' };
  }

  async take(incoming: Request, outgoing: ServerResponse): Promise<void> {
    const { clock, logger, observers = [] } = this.#options;
    const trace = traceOf(incoming, clock);
    const end = new RequestEnd(outgoing);
    logRequest(logger, clock, trace, incoming, outgoing, end, observers);
    const headers = { ...this.#headers, ...this.#crossOrigin.headers(incoming), ...requestIds(trace) };
    try {
      await this.#answer({ incoming, outgoing, end, trace, headers });
    } catch (error) {
      const problem = problemOf(error) ?? unforeseen();
      trace.refusal = problem.internalErrorName;
      trace.failed = isFailure(error);
      if (trace.failed) logger.error({ err: error, correlationId: trace.correlationId }, 'request failed');
      // An answer that has begun can only be cut off, so that the client notices.
      if (outgoing.headersSent || outgoing.destroyed) outgoing.destroy();
      else await answerProblem(incoming, outgoing, problem, headers, clock);
    }
  }

  async #answer(arrived: Arrived): Promise<void> {
    const { incoming, outgoing, trace, headers } = arrived;
    const method = incoming.method ?? '';
    const match = this.#table.match(method, trace.path);
    if (match.kind === 'found') {
      const request = await this.#request(match.entry, match.values, arrived);
      // An error is answered with these headers too.
      Object.assign(headers, pendingHeaders(await this.#behind(request, match.entry)));
      return this.#send(incoming, request, match.entry.route, headers);
    }
    if (match.kind === 'unknown path' && trace.path !== '*') throw unknownPath();
    const allow = match.kind === 'wrong method' ? match.allow : 'DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT';
    if (method !== 'OPTIONS') throw wrongMethod(allow);
    answerWhole(outgoing, { status: 204, headers: { Allow: allow, ...this.#crossOrigin.preflight(incoming, allow) } }, headers);
  }

  async #request(
    { route, parameters, checkQuery, readBody }: Operation,
    values: readonly string[],
    { incoming, outgoing, end, trace }: Arrived,
  ): Promise<ApiRequest> {
    trace.route = route;
    for (const observer of this.#options.observers ?? []) observer.matched(route);
    await this.#identify(route, { incoming, outgoing, end, trace });
    const params = decodeParameters(parameters, values);
    route.checkPath?.(params);
    const query = checkQuery(trace.rawQuery);
    const memory = this.#memoryOf(trace.caller, end);
    const body = readBody ? await readBody(incoming, memory) : undefined;
    // A request that waits for its body holds no place.
    const place = await this.#placeOf(route, trace.caller, incoming, end);
    const { caller, rawQuery, correlationId } = trace;
    return new HandlerRequest({
      maybeCaller: caller,
      params,
      query,
      body,
      rawQuery,
      correlationId,
      incoming,
      outgoing,
      memory,
      place,
      end,
    });
  }

  /** Finds out who the caller is, and whether the route serves them. */
  async #identify(route: Route, { incoming, outgoing, end, trace }: Omit<Arrived, 'headers'>): Promise<void> {
    const { authenticate, access, admit } = this.#options;
    if (route.access !== 'open' && !route.openTo?.(incoming)) {
      trace.caller = await authenticate(incoming);
      await this.#rate.count(trace.caller.subject);
      if (access && !end.isOver) end.add(access.enter(trace.caller, () => void outgoing.destroy()));
      if (route.access !== 'authenticated' && !hasRole(trace.caller, ...route.access))
        throw forbidden(`This operation needs one of the roles ${route.access.join(', ')}.`);
      if (isCommand(route)) admit?.(trace.caller);
    }
    if (route.identifies && presentedCredential(incoming.headers, trace.rawQuery).form !== 'none')
      trace.caller = await authenticate(incoming).catch(noCallerIfWrong);
  }

  /** What a caller's request holds counts until it has been answered. */
  #memoryOf(caller: Caller | null, end: RequestEnd): HeldMemory {
    const memory = this.#memory.open(caller?.subject ?? '');
    end.add(memory.release);
    return memory;
  }

  #placeOf(route: Route, caller: Caller | null, incoming: IncomingMessage, end: RequestEnd): Promise<Place> | Place {
    const { trusts = () => false } = this.#options;
    if (caller) return this.#places.ofUser(caller.subject, end);
    return route.unlimited ? NO_PLACE : this.#places.ofAddress(clientAddress(incoming, trusts), end);
  }

  /** Makes a read wait for its read models. Returns the position that they have not reached, otherwise `null`. */
  async #behind({ maybeCaller, incoming }: ApiRequest, { route, reads }: Operation): Promise<Position | null> {
    if (route.method !== 'GET') return null;
    const after = incoming.headers['tributary-after'];
    if (after !== undefined) await waitForPosition(this.#options.readModels, String(after), reads);
    return maybeCaller && !route.alwaysFresh && reads.length > 0 ? this.#ownWrites.missing(maybeCaller, reads) : null;
  }

  async #send(incoming: Request, request: ApiRequest, route: Route, headers: Headers): Promise<void> {
    const { outgoing, memory, place } = request;
    const { clock } = this.#options;
    const limits = this.#limits;
    // A user who leaves too much unread gets no further answers.
    if (route.method === 'GET') memory.take(0);
    const handled = await route.handle(request);
    const response = await itemByItem(route.method === 'GET' ? withPreconditions(request.header, handled) : handled);
    if ('chunks' in response) {
      const headOnly = incoming.method === 'HEAD';
      return answerStream(outgoing, response, headers, { headOnly, signal: request.signal, clock, limits, memory, place });
    }
    const { consistency } = response;
    const more = consistency ? await commandHeaders(this.#options.readModels, consistency) : {};
    if (request.maybeCaller) await this.#acknowledge(request.maybeCaller, route, response.status, consistency?.position ?? null);
    const whole = await compressed(incoming, route, response, headers.Vary);
    const size = answerWhole(outgoing, whole, { ...headers, ...more }, limits);
    memory.add(size);
    place.leave();
  }

  async #acknowledge(caller: Caller, { method }: Route, status: number, position: Position | null): Promise<void> {
    if (position !== null) this.#ownWrites.acknowledged(caller, position);
    else if (method !== 'GET' && status < 300) await this.#ownWrites.acknowledgedWithoutPosition(caller);
  }
}

interface Arrived {
  readonly incoming: Request;
  readonly outgoing: ServerResponse;
  readonly end: RequestEnd;
  readonly trace: RequestTrace;
  /** Headers of the answer. */
  readonly headers: Record<string, string>;
}

const NO_PLACE: Place = { leave: () => {}, outside: (wait) => wait() };

/** A list becomes text, or pieces of text when it is long. Any other answer stays as it is. */
const itemByItem = async (response: ApiResponse): Promise<ApiResponse> => {
  if ('chunks' in response || response.contentType !== undefined || !isList(response.body)) return response;
  const contentType = 'application/json';
  const json = await listJson(response.body);
  return typeof json === 'string' ? { ...response, body: json, contentType } : { ...response, chunks: json, contentType };
};

const requestIds = ({ correlationId, path }: RequestTrace): Headers => ({
  'X-Correlation-Id': correlationId,
  ...(isOpenAiPath(path) && { 'X-Request-Id': correlationId }),
});

/** An open route also serves callers with a wrong or expired credential. */
const noCallerIfWrong = (error: unknown): null => {
  const { statusCode } = problemOf(error) ?? unforeseen();
  if (statusCode === 401 || statusCode === 429) return null;
  throw error;
};

const traceOf = (incoming: IncomingMessage, clock: Clock): RequestTrace => ({
  started: clock.monotonic(),
  ...correlationOfRequest(incoming.headers),
  ...targetOf(incoming.url ?? '/'),
  route: null,
  caller: null,
  refusal: null,
  failed: false,
});

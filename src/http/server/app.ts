import type { IncomingMessage, ServerResponse } from 'node:http';
import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import type { Clock } from '../../clock.ts';
import { type Caller, hasRole } from '../../domain/credentials/caller.ts';
import type { Logger } from '../../logger.ts';
import type { Position } from '../../stores/eventStore.ts';
import { SMALL_STEP_BYTES } from '../../supervision/ownTurn.ts';
import { answerProblem, answerStream, answerWhole } from '../answers/answer.ts';
import { BytesInFlight, type BytesInFlightLimits } from '../answers/bytesInFlight.ts';
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
import { HeldBodies, type HeldBody } from '../input/heldBodies.ts';
import { queryCheck } from '../input/parameters.ts';
import { isOpenAiPath } from '../openai/openAiPath.ts';
import { Traffic } from '../traffic.ts';
import { type AdmitCommand, isCommand } from './admission.ts';
import { HandlerRequest } from './apiRequest.ts';
import { clientAddress, type ProxyTrust } from './clientAddress.ts';
import { correlationOfRequest } from './correlation.ts';
import { forbidden, isFailure, problemOf, unforeseen, unknownPath, wrongMethod } from './errors.ts';
import { logRequest, type RequestObserver, type RequestTrace } from './requestLog.ts';
import { RequestTurns } from './requestTurns.ts';
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
  /** Whether the event loop is busy, so that users' requests take turns. Default: never. */
  readonly load?: { readonly busy: boolean };
  /** Default: no one is slowed down. */
  readonly traffic?: Traffic;
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
  /** Unread bytes of answers that may wait in memory. */
  readonly bytesInFlight?: BytesInFlightLimits;
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

const operationOf = (route: Route, { clock, projections }: AppOptions): Operation => ({
  route,
  parameters: parameterNames(route.path),
  checkQuery: queryCheck(route.query ?? {}),
  readBody: bodyReader(route.body, clock),
  reads: route.reads ?? projections,
});

class RequestHandler {
  readonly #options: AppOptions;
  readonly #table: RouteTable<Operation>;
  readonly #headers: Headers;
  readonly #crossOrigin: CrossOrigin;
  readonly #unread: BytesInFlight;
  readonly #heldBodies = new HeldBodies();
  readonly #turns: RequestTurns;
  readonly #traffic: Traffic;
  readonly #ownWrites: OwnWrites;

  constructor(options: AppOptions, table: RouteTable<Operation>) {
    this.#options = options;
    this.#table = table;
    this.#unread = new BytesInFlight(options.bytesInFlight);
    this.#ownWrites = new OwnWrites(options);
    this.#turns = new RequestTurns(options.clock, options.load ?? { busy: false });
    this.#traffic = options.traffic ?? new Traffic(options.clock);
    this.#crossOrigin = new CrossOrigin(options.corsOrigins ?? []);
    this.#headers = { ...securityHeaders(options.https ?? false), 'Cache-Control': 'no-store' };
  }

  async take(incoming: Request, outgoing: ServerResponse): Promise<void> {
    const { clock, logger, observers = [] } = this.#options;
    const trace = traceOf(incoming, clock);
    logRequest(logger, clock, trace, incoming, outgoing, observers);
    const headers = { ...this.#headers, ...this.#crossOrigin.headers(incoming), ...requestIds(trace) };
    try {
      await this.#answer(incoming, outgoing, trace, headers);
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

  async #answer(incoming: Request, outgoing: ServerResponse, trace: RequestTrace, headers: Record<string, string>): Promise<void> {
    const method = incoming.method ?? '';
    const match = this.#table.match(method, trace.path);
    if (match.kind === 'found') {
      if (match.entry.route.access === 'open' && !isProbe(match.entry.route)) await this.#enterFrom(incoming, outgoing);
      const request = await this.#request(match.entry, match.values, incoming, outgoing, trace);
      // An error is answered with these headers too.
      Object.assign(headers, pendingHeaders(await this.#behind(request, match.entry)));
      return this.#send(incoming, request, match.entry.route, headers);
    }
    await this.#enterFrom(incoming, outgoing);
    if (match.kind === 'unknown path' && trace.path !== '*') throw unknownPath();
    const allow = match.kind === 'wrong method' ? match.allow : 'DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT';
    if (method !== 'OPTIONS') throw wrongMethod(allow);
    return answerWhole(outgoing, { status: 204, headers: { Allow: allow, ...this.#crossOrigin.preflight(incoming, allow) } }, headers);
  }

  async #request(
    { route, parameters, checkQuery, readBody }: Operation,
    values: readonly string[],
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    trace: RequestTrace,
  ): Promise<ApiRequest> {
    const { authenticate, access, admit, observers = [] } = this.#options;
    trace.route = route;
    for (const observer of observers) observer.matched(route);
    if (route.access !== 'open' && !route.openTo?.(incoming)) {
      trace.caller = await authenticate(incoming).catch(async (error: unknown) => {
        await this.#enterFrom(incoming, outgoing);
        throw error;
      });
      await this.#turns.enter(trace.caller.subject, outgoing);
      const cutOff = (): void => void outgoing.destroy();
      if (access && !outgoing.destroyed) outgoing.once('close', access.enter(trace.caller, cutOff));
      this.#traffic.note(trace.caller.subject);
      if (route.access !== 'authenticated' && !hasRole(trace.caller, ...route.access))
        throw forbidden(`This operation needs one of the roles ${route.access.join(', ')}.`);
      if (isCommand(route)) admit?.(trace.caller);
    }
    if (route.identifies && presentedCredential(incoming.headers, trace.rawQuery).form !== 'none')
      trace.caller = await authenticate(incoming).catch(noCallerIfWrong);
    const params = decodeParameters(parameters, values);
    route.checkPath?.(params);
    const query = checkQuery(trace.rawQuery);
    const held = readBody ? this.#heldBy(trace.caller, outgoing) : null;
    const body = readBody ? await readBody(incoming, held) : undefined;
    // While its body arrived slowly, it has released its place.
    if (readBody && trace.caller && route.access !== 'open') await this.#turns.again(trace.caller.subject, outgoing);
    const { caller, rawQuery, correlationId } = trace;
    return new HandlerRequest({ maybeCaller: caller, params, query, body, rawQuery, correlationId, incoming, outgoing, held });
  }

  /** A request without a caller takes the turns of its client's address. */
  #enterFrom(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> | undefined {
    return this.#turns.enterFrom(clientAddress(incoming, this.#options.trusts ?? (() => false)), outgoing);
  }

  /** The body of a caller's request counts as held until the answer has been written. */
  #heldBy(caller: Caller | null, outgoing: ServerResponse): HeldBody | null {
    if (!caller) return null;
    const held = this.#heldBodies.enter(caller.subject);
    outgoing.once('close', () => held.leave());
    return held;
  }

  /** Makes a read wait for its read models. Returns the position that they have not reached, otherwise `null`. */
  async #behind({ maybeCaller, incoming }: ApiRequest, { route, reads }: Operation): Promise<Position | null> {
    if (route.method !== 'GET') return null;
    const after = incoming.headers['tributary-after'];
    if (after !== undefined) await waitForPosition(this.#options.readModels, String(after), reads);
    return maybeCaller && !route.alwaysFresh && reads.length > 0 ? this.#ownWrites.missing(maybeCaller, reads) : null;
  }

  async #send(incoming: Request, request: ApiRequest, route: Route, headers: Headers): Promise<void> {
    const { outgoing } = request;
    const user = request.maybeCaller?.subject ?? '';
    if (route.method === 'GET') this.#checkUnread(user);
    const handled = await route.handle(request);
    const response = await itemByItem(route.method === 'GET' ? withPreconditions(request.header, handled) : handled);
    if ('chunks' in response) {
      // A long list: other answers may have become long since this read was admitted.
      if (isLongList(response, handled)) {
        this.#checkUnread(user);
        this.#waitsUntilClosed(outgoing, user, LONG_LIST_BYTES);
      }
      const wait = (bytes: number) => this.#unread.wait(user, bytes);
      const pace = (bytes: number) => (user === '' ? undefined : this.#traffic.wait(user, bytes));
      const headOnly = incoming.method === 'HEAD';
      return answerStream(outgoing, response, headers, { headOnly, signal: request.signal, clock: this.#options.clock, wait, pace });
    }
    const { consistency } = response;
    const more = consistency ? await commandHeaders(this.#options.readModels, consistency) : {};
    if (request.maybeCaller) await this.#acknowledge(request.maybeCaller, route, response.status, consistency?.position ?? null);
    const whole = await compressed(incoming, route, response, headers.Vary);
    if (route.method === 'GET' && typeof whole.body === 'string' && whole.body.length > SMALL_STEP_BYTES) this.#checkUnread(user);
    answerWhole(outgoing, whole, { ...headers, ...more });
    if (outgoing.writableLength > SMALL_STEP_BYTES) this.#waitsUntilClosed(outgoing, user, outgoing.writableLength);
  }

  #waitsUntilClosed(outgoing: ServerResponse, user: string, bytes: number): void {
    // The close event of a client that has left has already fired: nothing would release the bytes.
    if (!outgoing.destroyed) outgoing.once('close', this.#unread.wait(user, bytes));
  }

  /** Throws 503 if the user, or all users together, leave too much unread. */
  #checkUnread(user: string): void {
    if (user !== '') this.#unread.check(user);
  }

  async #acknowledge(caller: Caller, { method }: Route, status: number, position: Position | null): Promise<void> {
    if (position !== null) this.#ownWrites.acknowledged(caller, position);
    else if (method !== 'GET' && status < 300) await this.#ownWrites.acknowledgedWithoutPosition(caller);
  }
}

/** Memory of a long list beside the piece that is being sent, in bytes. */
const LONG_LIST_BYTES = 262_144;

const isLongList = (response: ApiResponse, handled: ApiResponse): boolean => 'chunks' in response && !('chunks' in handled);

/** Probes never wait for other requests. */
const isProbe = ({ path }: Route): boolean => path.startsWith('/health/');

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

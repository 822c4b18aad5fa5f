import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Request } from 'express';
import type { Caller } from '../../domain/credentials/caller.ts';
import type { Role } from '../../domain/credentials/events.ts';
import type { Json, JsonObject, JsonSchema, Shape } from '../../json.ts';
import type { Position } from '../../stores/eventStore.ts';
import type { HeldMemory } from '../limits/memoryBudget.ts';
import type { Place } from '../limits/requestPlaces.ts';
import type { RawQuery } from '../query/rawQuery.ts';
import type { RequestHeader, ResponseHeader } from './headers.ts';
import type { PathParameter } from './pathParameters.ts';

export type Method = 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE';

/**
 * A query parameter. `list` may be repeated (`schema` is that of one value); all others given twice are refused. With `comma`, and unless its values are
 * free text, a list may also have several values with commas between them.
 */
export interface QueryParameter {
  readonly schema: JsonSchema;
  readonly description: string;
  /** `by the handler`: the document says it is required, and the handler refuses its absence with its own message. */
  readonly required?: boolean | 'by the handler';
  readonly list?: 'repeat' | 'comma';
  /** The value is an id: a UUID is accepted in any case, and converted to lower case. */
  readonly isId?: true;
  /** For the document. The examples of one operation work together, on a server with the results of its other examples. */
  readonly example?: Json | readonly Json[];
}

export type QueryParameters = Readonly<Record<string, QueryParameter>>;

/** Values of the parameters of a query. One with a default is always there. */
export type QueryValues<Q> = { readonly [Name in keyof Q as IsPresent<Q[Name]> extends true ? Name : never]: ValueOf<Q[Name]> } & {
  readonly [Name in keyof Q as IsPresent<Q[Name]> extends true ? never : Name]?: ValueOf<Q[Name]>;
};

type IsPresent<P> = P extends { readonly required: true } | { readonly schema: { readonly default: unknown } } ? true : false;

type ValueOf<P> = P extends { readonly schema: infer S }
  ? P extends { readonly list: string }
    ? Shape<S> extends readonly (infer Item)[]
      ? Item[]
      : Shape<S>[]
    : Shape<S>
  : never;

/** Values of the placeholders of a path, decoded. */
export type PathValues<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? { readonly [K in Name]: string } & PathValues<Rest>
  : unknown;

type BodyOf<B> = [B] extends [never]
  ? undefined
  : B extends { readonly kind: 'json'; readonly schema: infer S }
    ? Shape<S> | (B extends { readonly required: false } ? undefined : never)
    : B extends { readonly kind: 'form' }
      ? JsonObject
      : undefined;

/** Members that are accessors. As those of a class, so that a copy of a request by spread, which would lose them, does not compile. */
declare abstract class Accessors {
  /** Present unless the route is open. */
  get caller(): Caller;
  /** Aborts when the client has left or the server is draining. */
  get signal(): AbortSignal;
}

/** Members in which a request to another part of the interface may differ. */
export type ChangedRequest = Partial<Pick<ApiRequest, 'maybeCaller' | 'params' | 'query'>>;

/** A request that has passed the schemas of its route. */
export interface ApiRequest<Params = unknown, Query = unknown, Body = unknown> extends Accessors {
  /** `null` on an open route, unless it `identifies` callers and a credential was presented. */
  readonly maybeCaller: Caller | null;
  readonly params: Params;
  /** Checked and converted by the route's parameter schemas. A list parameter is an array. */
  readonly query: Query;
  /** The checked JSON body, `undefined` without one. */
  readonly body: Body;
  readonly header: (name: string) => string | undefined;
  readonly rawQuery: RawQuery;
  readonly correlationId: string;
  /** For routes whose body is `raw`, and for streamed answers. */
  readonly incoming: Request;
  readonly outgoing: ServerResponse;
  /** Counts the memory of the request. */
  readonly memory: HeldMemory;
  /** Its place among the requests that are worked on. */
  readonly place: Place;
  /** The same request with other members. */
  with<Changes extends ChangedRequest>(changes: Changes): ApiRequest & Changes;
}

export type ApiResponse =
  | {
      readonly status: number;
      /** JSON, unless `contentType` says otherwise and the body is text. `undefined`: no body. */
      readonly body?: unknown;
      readonly contentType?: string;
      readonly headers?: Readonly<Record<string, string>>;
      /**
       * The position that a command appended, for which later reads of the caller wait, each with its own `reads`. `projections` show it: if one of
       * them does not follow the log, the answer says `Tributary-Consistency: pending`. `shown`: the answer itself waits for them, because more than
       * reads depends on it.
       */
      readonly consistency?: { readonly position: Position | null; readonly projections: readonly string[]; readonly shown?: true };
    }
  | {
      readonly status: number;
      readonly contentType: string;
      readonly chunks: AsyncIterable<string | Uint8Array>;
      readonly headers?: Readonly<Record<string, string>>;
    };

export interface DocumentedResponse {
  readonly description: string;
  /** Description of the body. */
  readonly schema?: JsonSchema;
  /** Default: JSON. */
  readonly contentType?: string;
  /** Other content types of the body, with their schemas. */
  readonly alternatives?: Readonly<Record<string, JsonSchema>>;
  /** Headers besides those of every answer. */
  readonly headers?: readonly ResponseHeader[];
  /** Headers that only some of these answers have. */
  readonly optionalHeaders?: readonly ResponseHeader[];
}

/** One form of a raw body. */
export interface DocumentedContent {
  readonly schema?: JsonSchema;
  /** Content types of the parts of a multipart body. */
  readonly encoding?: Readonly<Record<string, { readonly contentType: string }>>;
  readonly examples?: BodyExamples;
}

/** A working body, by a short name. */
export type BodyExamples = Readonly<Record<string, { readonly summary: string; readonly value: Json }>>;

/**
 * `json`: checked by its schema. `form`: name to value, to an array of values for a name given more than once. `raw`: left to the handler
 * in `incoming`; `contentTypes` as `type/subtype`, or `*\/*` (which also takes none at all). `documented`: what the document says
 * where the handler checks more than the schema.
 */
export type RouteBody =
  | {
      readonly kind: 'json';
      readonly schema: JsonSchema;
      readonly documented?: JsonSchema;
      readonly required?: boolean;
      readonly limitBytes?: number;
      readonly examples?: BodyExamples;
    }
  | { readonly kind: 'form'; readonly documented?: JsonSchema; readonly examples?: BodyExamples }
  | { readonly kind: 'raw'; readonly contentTypes: readonly string[]; readonly documented?: Readonly<Record<string, DocumentedContent>> };

/** One operation: everything that the server and `/openapi.json` need for it. */
export interface Route {
  readonly operationId: string;
  /** Groups operations in the API documents. */
  readonly tag: string;
  readonly method: Method;
  /** In OpenAPI form, `/stream-service/api/v1/streams/{streamId}`. */
  readonly path: string;
  /** One line. */
  readonly summary: string;
  /** Markdown: further information for callers. */
  readonly description: string;
  /** `open` needs no credential; otherwise any accepted one, with one of the roles if there are some. */
  readonly access: 'open' | 'authenticated' | readonly Role[];
  /** Requests that need no credential although `access` requires one. */
  readonly openTo?: (incoming: IncomingMessage) => boolean;
  /** An `open` operation that shows more to some callers: a credential is optional, but must be valid if presented. */
  readonly identifies?: true;
  /** Throws if the path alone shows that nothing exists: before the query is checked or the body read. */
  readonly checkPath?: (params: Readonly<Record<string, string>>) => void;
  /** Path parameters that `pathParameters.ts` does not define, or defines differently. */
  readonly params?: Readonly<Record<string, PathParameter>>;
  readonly headers?: readonly RequestHeader[];
  /** `server/checked.ts` decides whether unknown parameters are refused. */
  readonly query?: QueryParameters;
  readonly body?: RouteBody;
  /** An open operation that is never put in line: health, and the dashboard's files. */
  readonly unlimited?: true;
  /** Further headers of the answer to OPTIONS on its path. */
  readonly optionsHeaders?: Readonly<Record<string, string>>;
  /** It writes less than it frees, so it is accepted even if the disk is nearly full. So is every DELETE. */
  readonly allowedOnFullDisk?: true;
  /** The answer shows a secret: it is never compressed. */
  readonly holdsSecret?: true;
  /** Read models of the answer: a read with `Tributary-After` waits for these. Default: all. */
  readonly reads?: readonly string[];
  /** The handler makes the answer from the newest events, so the read need not wait for read models. */
  readonly alwaysFresh?: true;
  /** By status. The error statuses that every operation has (400, 401, 403, 404, 500, 503) need not be listed. */
  readonly responses: Readonly<Record<number, DocumentedResponse>>;
  handle(request: ApiRequest): Promise<ApiResponse>;
}

/** A route whose handler gets the types of its path, query and body from their schemas. */
type TypedRoute<P extends string, Q extends QueryParameters, B extends RouteBody> = Omit<Route, 'path' | 'query' | 'body' | 'handle'> & {
  readonly path: P;
  readonly query?: Q;
  readonly body?: B;
  handle(request: ApiRequest<PathValues<P>, QueryValues<Q>, BodyOf<B>>): Promise<ApiResponse>;
};

/** Makes a route, so that its handler needs no cast. The app checks each request by the same schemas before the handler runs. */
export const defineRoute = <const P extends string, const Q extends QueryParameters = Record<never, never>, B extends RouteBody = never>(
  route: TypedRoute<P, Q, B>,
): Route => route;

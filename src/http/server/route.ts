import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Caller } from '../../domain/credentials/caller.ts';
import type { Role } from '../../domain/credentials/events.ts';
import type { Json, JsonSchema } from '../../json.ts';
import type { Position } from '../../stores/eventStore.ts';
import type { RequestHeader, ResponseHeader } from '../openapi/headers.ts';
import type { PathParameter } from '../openapi/pathParameters.ts';

export type Method = 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE';

/** A query parameter. `list` may be repeated and, with `comma`, hold several values (`schema` is that of one); all others given twice are refused. */
export interface QueryParameter {
  readonly schema: JsonSchema;
  readonly description: string;
  /** `by the handler`: the document says it is required, and the handler refuses its absence in words of its own. */
  readonly required?: boolean | 'by the handler';
  readonly list?: 'repeat' | 'comma';
  /** The value is an id: a UUID may come in any case, and is lower case from here on. */
  readonly isId?: true;
  /** For the document. The examples of one operation work together, on a server that has what its other examples made. */
  readonly example?: Json;
}

export interface ApiRequest {
  /** Present unless the route is open. */
  readonly caller: Caller;
  /** `null` on an open route, unless it `identifies` callers and a credential was presented. */
  readonly maybeCaller: Caller | null;
  readonly params: Readonly<Record<string, string>>;
  /** Checked and converted by the route's parameter schemas. A list parameter is an array. */
  readonly query: Readonly<Record<string, Json>>;
  /** The checked JSON body, `undefined` without one. */
  readonly body: Json | undefined;
  readonly header: (name: string) => string | undefined;
  /** Behind the `?`, undecoded, without it. */
  readonly rawQuery: string;
  readonly correlationId: string;
  /** Aborts when the client has gone or the server is draining. */
  readonly signal: AbortSignal;
  /** For routes whose body is `raw`, and for streamed answers. */
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
}

export type ApiResponse =
  | {
      readonly status: number;
      /** JSON, unless `contentType` says otherwise and the body is text. `undefined`: no body. */
      readonly body?: unknown;
      readonly contentType?: string;
      readonly headers?: Readonly<Record<string, string>>;
      /**
       * What a command appended, and the read models that will show it. Later reads of the caller wait for them. `shown`: the answer waits itself,
       * because more than reads depends on it.
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
  /** Of the body. */
  readonly schema?: JsonSchema;
  /** Default: JSON. */
  readonly contentType?: string;
  /** Other content types that the body may have, and its schema then. */
  readonly alternatives?: Readonly<Record<string, JsonSchema>>;
  /** Besides those that every answer has. */
  readonly headers?: readonly ResponseHeader[];
}

/** One form of a raw body. */
export interface DocumentedContent {
  readonly schema?: JsonSchema;
  /** Content types of the parts of a multipart body. */
  readonly encoding?: Readonly<Record<string, { readonly contentType: string }>>;
  readonly examples?: BodyExamples;
}

/** A body that works, by a short name. */
export type BodyExamples = Readonly<Record<string, { readonly summary: string; readonly value: Json }>>;

/** One operation: everything that the server does for it and that `/openapi.json` says of it. */
export interface Route {
  readonly operationId: string;
  /** Groups operations in the API documents. */
  readonly tag: string;
  readonly method: Method;
  /** In OpenAPI form, `/stream-service/api/v1/streams/{streamId}`. */
  readonly path: string;
  /** One line. */
  readonly summary: string;
  /** Markdown: what a caller has to know besides. */
  readonly description: string;
  /** `open` needs no credential; otherwise any accepted one, with one of the roles when there are some. */
  readonly access: 'open' | 'authenticated' | readonly Role[];
  /** Requests that need no credential although `access` asks for one. */
  readonly openTo?: (incoming: IncomingMessage) => boolean;
  /** An `open` operation that shows more to some callers: a credential is optional, but one that is presented must be valid. */
  readonly identifies?: true;
  /** Throws when the path alone shows that there is nothing: before the query is checked or the body read. */
  readonly checkPath?: (params: Readonly<Record<string, string>>) => void;
  /** Those of the path that `openapi/pathParameters.ts` does not know, or knows otherwise. */
  readonly params?: Readonly<Record<string, PathParameter>>;
  /** Request headers that it takes. */
  readonly headers?: readonly RequestHeader[];
  /** Unknown query parameters are ignored, unless the handler takes them from `rawQuery` (upload). */
  readonly query?: Readonly<Record<string, QueryParameter>>;
  /**
   * `json`: checked by its schema. `form`: name to value, to an array of values for a name given more than once. `raw`: left to the handler
   * in `incoming`; `contentTypes` as `type/subtype`, `type/*` or `*\/*` (which also takes none at all). `documented`: what the document says
   * where the handler checks more than the schema.
   */
  readonly body?:
    | {
        readonly kind: 'json';
        readonly schema: JsonSchema;
        readonly documented?: JsonSchema;
        readonly required?: boolean;
        readonly limitBytes?: number;
        readonly examples?: BodyExamples;
      }
    | { readonly kind: 'form'; readonly limitBytes?: number; readonly documented?: JsonSchema; readonly examples?: BodyExamples }
    | { readonly kind: 'raw'; readonly contentTypes: readonly string[]; readonly documented?: Readonly<Record<string, DocumentedContent>> };
  /** It writes less than it frees: taken also when the disk is nearly full. So is every DELETE. */
  readonly frees?: true;
  /** The answer shows a secret: it is never compressed. */
  readonly holdsSecret?: true;
  /** Read models that the answer comes from: a read with `Tributary-After` waits for these. Default: all. */
  readonly reads?: readonly string[];
  /** The answer is folded from an event stream as of now: it need not wait for the read models. */
  readonly folds?: true;
  /** By status. The error statuses that every operation has (400, 401, 403, 404, 500, 503) need not be listed. */
  readonly responses: Readonly<Record<number, DocumentedResponse>>;
  handle(request: ApiRequest): Promise<ApiResponse>;
}

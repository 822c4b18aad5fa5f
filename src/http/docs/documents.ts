import type { Json, JsonSchema } from '../../json.ts';

/** The parts of the documents that the page reads, as `openapi/` and `asyncapi/` have just built them. */

export interface DocumentedParameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
  readonly example?: Json;
}

interface Content {
  readonly schema?: JsonSchema;
  readonly examples?: Readonly<Record<string, { readonly summary: string; readonly value: Json }>>;
}

export type Contents = Readonly<Record<string, Content>>;

export interface DocumentedAnswer {
  readonly $ref?: string;
  readonly description?: string;
  readonly content?: Contents;
  readonly headers?: Readonly<Record<string, { readonly $ref: string }>>;
}

export interface DocumentedOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly DocumentedParameter[];
  readonly requestBody?: { readonly content: Contents };
  readonly responses: Readonly<Record<string, DocumentedAnswer>>;
  readonly security: readonly object[];
}

type PathItems = Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
type Schemas = Readonly<Record<string, JsonSchema>>;

export interface HttpDocument {
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: PathItems;
  readonly webhooks: PathItems;
  readonly components: {
    readonly schemas: Schemas;
    readonly responses: Readonly<Record<string, DocumentedAnswer>>;
    readonly securitySchemes: Readonly<Record<string, { readonly type: string; readonly name?: string; readonly description: string }>>;
  };
}

export interface MessageDocument {
  readonly name: string;
  readonly summary: string;
  readonly contentType: string;
  readonly payload: JsonSchema;
  readonly examples?: readonly { readonly payload: Json }[];
}

export interface SocketDocument {
  readonly info: { readonly description: string };
  readonly servers: { readonly tributary: { readonly host: string; readonly protocol: string } };
  readonly channels: {
    readonly gateway: {
      readonly address: string;
      readonly messages: Readonly<Record<string, MessageDocument>>;
      readonly bindings: { readonly ws: { readonly query: JsonSchema } };
    };
  };
  readonly components: { readonly schemas: Schemas };
}

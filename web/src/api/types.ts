/** The API's answers, as far as the dashboard reads them. `/openapi.json` has all of them. */

export type Role = 'user' | 'gateway' | 'auditor' | 'admin';

export interface Caller {
  readonly subject: string;
  readonly roles: readonly Role[];
  readonly credential: CredentialResource | null;
  /** Of a person who signed in. */
  readonly session?: { readonly id: string; readonly name: string | null };
}

export interface CredentialResource {
  readonly id: string;
  readonly kind: 'client' | 'api-key';
  readonly label: string | null;
  readonly role: Role;
  readonly subject: string;
  readonly clientId?: string;
  readonly createdTimestamp: string;
  readonly expiresTimestamp: string | null;
  /** Id of the credential that issued it, or a part of the platform. */
  readonly issuedBy: string;
  /** Of the person who issued it in the dashboard; `null` once erased. */
  readonly issuerName?: string | null;
  /** The minute of its last use; `null` before the first. */
  readonly lastUsedTimestamp: string | null;
}

/** The answer of every paged list. `number` counts from 0. */
export interface PageOf<Item> {
  readonly content: readonly Item[];
  readonly number: number;
  readonly size: number;
  readonly totalElements: number;
  readonly totalPages: number;
}

export interface ErrorResponse {
  readonly statusCode: number;
  readonly title: string;
  readonly message: string;
  readonly internalErrorName: string;
  readonly nestedErrors: readonly ErrorResponse[];
}

export type StreamState = 'READY' | 'COMPLETED' | 'FAILED' | 'EXPIRED';

export interface Egress {
  readonly persist: boolean;
  readonly sink: boolean;
  readonly tags: readonly string[];
}

export interface StreamProcessor {
  readonly id: string;
  readonly source: { readonly topic: string; readonly messageSchema: string };
  readonly destination: { readonly topic: string; readonly messageSchema: string };
  readonly properties: JsonObject;
  readonly egress: Egress;
}

export interface Stream {
  readonly streamId: string;
  readonly name: string | null;
  readonly labels: readonly string[];
  readonly groupId: string;
  readonly configuration: {
    readonly streamConfigurationTemplateId: string;
    readonly dataSource: { readonly topic: string; readonly messageSchema: string };
    readonly processors: readonly StreamProcessor[];
    readonly dynamicWebhookEndpoints: readonly { readonly id: string; readonly url: string; readonly events: readonly string[] }[];
  };
  readonly createdTimestamp: string;
  readonly creatorId: string;
  readonly state: StreamState;
  readonly stateDescription: string | null;
  readonly finalizedTimestamp: string | null;
  /** 1 is the upload; each rerun adds 1. */
  readonly attempt: number;
}

/** A stream in a list. */
export interface ListedStream extends Stream {
  /** Milliseconds of audio that were processed; `null` without audio, or before it is known. */
  readonly audioLength: number | null;
  /** Decimal text: all ended runs of all attempts. */
  readonly credits: string;
  /** What to do about its failure; `null` unless it failed. */
  readonly advice: string | null;
}

export interface ProcessorComponent {
  readonly processorId: string;
  readonly state: 'RUNNING' | 'COMPLETED' | 'WAITING' | 'ERROR' | 'CLOSED';
  readonly stateChangedTimestamp: string;
  readonly stateDescription: string | null;
  readonly startedTimestamp: string | null;
}

export interface StreamComponents {
  readonly state: StreamState;
  /** What to do about its failure; `null` unless it failed. */
  readonly advice: string | null;
  readonly gateway: { readonly state: 'CONNECTED' | 'DISCONNECTED' | 'CLOSED'; readonly stateChangedTimestamp: string };
  readonly processors: readonly ProcessorComponent[];
}

export type Json = string | number | boolean | null | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [name: string]: Json;
}

/** A JSON Schema, as far as the declarations of processors use it. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly title?: string;
  readonly description?: string;
  readonly default?: Json;
  readonly enum?: readonly Json[];
  readonly examples?: readonly Json[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly contentMediaType?: string;
  readonly items?: JsonSchema;
  readonly minItems?: number;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly patternProperties?: Readonly<Record<string, JsonSchema>>;
}

export interface ProcessorDeclaration {
  readonly id: string;
  readonly displayName: string;
  readonly description: string;
  readonly propertiesSchema: string;
  readonly propertiesJsonSchema: JsonSchema;
  readonly inputSchemas: readonly string[];
  readonly outputSchema: string;
  readonly operationType: string;
}

export interface TemplateProcessor {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly processorDeclaration: ProcessorDeclaration;
  readonly previousProcessorId: string | null;
  readonly properties: JsonObject;
  readonly patchAliases: Readonly<Record<string, string>>;
  readonly egress: Egress;
}

export interface Template {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly version: number;
  readonly origin: 'built-in' | 'copy' | 'own';
  readonly runnable: { readonly ok: boolean; readonly reason: string | null };
  readonly dataSourceSchema: string;
  readonly processors: readonly TemplateProcessor[];
  readonly patchAliases: Readonly<Record<string, string>>;
}

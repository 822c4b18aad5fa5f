import type { components } from './generated/openapi.ts';

/** The resources of the API, with the names of the API document. */
export type Schemas = components['schemas'];

export type Stream = Schemas['MediaStream'];
export type StreamComponents = Schemas['StreamComponents'];
export type StreamUsage = Schemas['StreamUsage'];
export type StreamConfigurationTemplate = Schemas['StreamConfigurationTemplate'];
export type ExportResult = Schemas['ExportResult'];
export type SinkMessage = Schemas['SinkMessage'];
export type WebhookEndpoint = Schemas['WebhookEndpoint'];
export type WebhookEvent = Schemas['WebhookEvent'];
export type ErrorResponse = Schemas['ErrorResponse'];

/** Values that a patch may set. */
export type PatchValue = string | number | boolean | null | readonly (string | number | boolean)[];

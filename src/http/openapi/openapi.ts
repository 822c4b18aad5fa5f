import { PAYLOAD_SCHEMAS } from '../../results/resultSchemas.ts';
import { OPENAI_TAG } from '../errors/openAiSchemas.ts';
import { Components } from '../route/components.ts';
import { headerComponents } from '../route/headers.ts';
import type { Route } from '../route/route.ts';
import { routesForClients } from './forClients.ts';
import { errorComponents, operation } from './operation.ts';
import { SECURITY_SCHEMES } from './security.ts';
import { webhookItems } from './webhooks.ts';

export interface ApiDescription {
  readonly version: string;
  readonly publicUrl: () => string;
}

/** `everything`, or without the section `webhooks` (its schemas stay), or for generators of clients. */
export type DocumentForm = 'everything' | 'without webhooks' | 'for clients';

/** The OpenAPI 3.1 document of a list of routes. */
export const openapiDocument = (
  all: readonly Route[],
  { version, publicUrl }: ApiDescription,
  form: DocumentForm = 'everything',
): object => {
  const routes = form === 'for clients' ? routesForClients(all) : all;
  const components = new Components();
  for (const schema of PAYLOAD_SCHEMAS) components.reference(schema);
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes.filter(isOnePath))
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation(route, components, form) };
  const webhooks = webhookItems(components);
  const responses = errorComponents(components);
  return {
    openapi: '3.1.0',
    info: { title: 'Tributary', version, summary: SUMMARY, description: DESCRIPTION, license: LICENSE },
    servers: [{ url: publicUrl() }],
    tags: [...new Set([...routes.map(({ tag }) => tag), ...(form === 'everything' ? [WEBHOOKS] : [])])].map((name) => ({
      name,
      description: TAGS[name],
    })),
    paths,
    ...(form === 'everything' ? { webhooks } : {}),
    components: { schemas: components.schemas(), responses, headers: headerComponents(), securitySchemes: SECURITY_SCHEMES },
  };
};

/** A path with a trailing slash is another form of the same path: linters refuse both in one document. */
export const isOnePath = ({ path }: Route): boolean => path === '/' || !path.endsWith('/');

const WEBHOOKS = 'Webhook events';
const LICENSE = { name: 'Apache-2.0', identifier: 'Apache-2.0' };
const SUMMARY = 'Event-sourced stream processing that you host yourself.';
const DESCRIPTION = `Upload bytes: a stream is made from a template, a chain of processors works on it, and you export the results.

**Credentials.** Every operation but the open ones takes any of the security schemes; the first form present (Authorization, X-Client headers, query) decides.

**Errors** are an \`ErrorResponse\` with an \`internalErrorName\`; the token endpoint alone answers in the words of RFC 6749. An unknown path is 404, a
method that a path does not have 405 with \`Allow\`; HEAD is answered where GET is, OPTIONS everywhere.

**Read your own writes.** A 2xx means durable. Later reads wait up to two seconds until they show what you were answered. If that is not enough, they say
\`Tributary-Consistency: pending\`: send their \`Tributary-Position\` as \`Tributary-After\` with later reads, which then wait for it or answer 503.

**Live audio** goes over the WebSocket gateway, which \`/asyncapi.json\` describes.`;

const TAGS: Readonly<Record<string, string>> = {
  Authentication: 'Access tokens for client credentials, and the keys that verify them.',
  Credentials: 'Issue, rotate and revoke clients and API keys. For administrators.',
  'Stream configuration templates': 'Chains of processors with their properties, from which streams are created.',
  Shares: 'Links by which anyone reads a transcript without signing in.',
  Vocabularies: 'Words of your own that you save for your transcriptions.',
  Processors: 'Processors of your own, which the platform calls over HTTP.',
  Upload: 'Bytes in.',
  'Live gateway': 'Bytes in and results out over one WebSocket: see `/asyncapi.json`.',
  Streams: 'State of streams and groups.',
  Transcripts: 'Transcripts that people correct, with every revision.',
  Export: 'The results of streams that have ended.',
  'Live results': 'The results of streams while they run.',
  [OPENAI_TAG]:
    "The speech endpoints of OpenAI's interface, for programs that speak it already. They take `Authorization: Bearer` with an API key or an access token, and their errors are an `OpenAiError`.",
  'Language models': 'The Model Context Protocol: tools and resources for language models.',
  Usage: 'Quantities that streams used, and their cost.',
  'Webhook endpoints': 'Webhook endpoints, their secrets and their deliveries.',
  Audit: 'The log itself, for auditors.',
  Operations: 'For operators of the platform.',
  [WEBHOOKS]: 'Events that the platform sends to webhook endpoints.',
};

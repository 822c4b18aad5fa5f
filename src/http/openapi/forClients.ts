import type { JsonSchema } from '../../json.ts';
import * as s from '../../schema.ts';
import { isOpenAiPath } from '../errors/openAiPath.ts';
import { appliesTo } from '../export/parameters.ts';
import { type ExportFormat, FILE_TYPES } from '../route/fileTypes.ts';
import type { RequestHeader, ResponseHeader } from '../route/headers.ts';
import type { DocumentedResponse, Route } from '../route/route.ts';

/** Headers for proxies, caches and browsers only. */
const PROXY_HEADERS: ReadonlySet<RequestHeader> = new Set(['Range', 'If-Range', 'X-Vat-Meta-Template-Patch']);
const PROXY_STATUSES: ReadonlySet<string> = new Set(['206', '304', '412', '416']);
const UPLOAD_TYPE = 'application/octet-stream';
/** Parameters that change the type of the answer. */
const TYPE_PARAMETERS: Readonly<Record<string, string>> = { readLive: 'format' };

const file = (format: ExportFormat, schema: JsonSchema) => ({ format, answer: { contentType: FILE_TYPES[format].contentType, schema } });

const EXPORTS: readonly { readonly format: ExportFormat; readonly answer: Omit<DocumentedResponse, 'description'> | null }[] = [
  { format: 'JSON', answer: null },
  ...(['TEXT', 'SRT', 'VTT', 'MD', 'CSV'] as const).map((format) => file(format, s.text)),
  ...(['EVENTS', 'DOCX', 'ZIP'] as const).map((format) => file(format, s.binary)),
];

const isForClients = ({ path }: Route): boolean => !isOpenAiPath(path) && !path.startsWith('/ws-gateway');

/** NDJSON has no schema as a whole: clients read it as a stream of bytes. */
const lineSchema = ({ contentType = 'application/json', schema }: DocumentedResponse): JsonSchema | undefined =>
  contentType === 'application/x-ndjson' ? s.binary : schema;

const withOneType = (response: DocumentedResponse): DocumentedResponse => {
  const { alternatives: _, headers = [], ...one } = response;
  const schema = lineSchema(response);
  const kept = headers.filter((name: ResponseHeader) => name !== 'Accept-Ranges' && name !== 'Content-Range');
  return { ...one, ...(schema && { schema }), headers: kept };
};

const responsesOf = ({ responses }: Route): Route['responses'] =>
  Object.fromEntries(
    Object.entries(responses)
      .filter(([status]) => !PROXY_STATUSES.has(status))
      .map(([status, response]) => [status, withOneType(response)]),
  );

const bodyOf = ({ body }: Route): Pick<Route, 'body'> => {
  if (body?.kind !== 'raw') return body ? { body } : {};
  const content = body.documented?.[UPLOAD_TYPE];
  return { body: content ? { ...body, documented: { [UPLOAD_TYPE]: content } } : body };
};

const queryOf = ({ operationId, query = {} }: Route): NonNullable<Route['query']> =>
  Object.fromEntries(Object.entries(query).filter(([name]) => TYPE_PARAMETERS[operationId] !== name));

const simplified = (route: Route): Route => ({
  ...route,
  ...bodyOf(route),
  query: queryOf(route),
  headers: (route.headers ?? []).filter((name) => !PROXY_HEADERS.has(name)),
  responses: responsesOf(route),
});

/** `exportJson`, `exportText` and so on: one operation per format. */
const exportsOf = (route: Route): Route[] =>
  EXPORTS.map(({ format, answer }) => {
    const query = Object.entries(route.query ?? {}).filter(([name]) => appliesTo(format, name));
    const { 200: whole, ...others } = route.responses;
    const success: DocumentedResponse = { description: 'The results.', ...(answer ?? { schema: whole?.schema ?? {} }) };
    return {
      ...route,
      operationId: `export${format.charAt(0)}${format.slice(1).toLowerCase()}`,
      path: route.path.replace('{format}', format),
      query: Object.fromEntries(query),
      responses: { ...others, 200: success },
    };
  });

/**
 * The same operations for generators of clients: each with one type of body and one type of answer, without the WebSocket and the OpenAI-compatible
 * endpoints.
 */
export const routesForClients = (routes: readonly Route[]): Route[] =>
  routes.filter(isForClients).flatMap((route) => (route.operationId === 'exportStreams' ? exportsOf(route) : [simplified(route)]));

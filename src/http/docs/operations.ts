import type { Json } from '../../json.ts';
import type { Contents, DocumentedAnswer, DocumentedOperation, DocumentedParameter, HttpDocument } from './documents.ts';
import { type Html, html, inline, markdown } from './html.ts';
import { schemaType } from './schemas.ts';

export interface Operation {
  readonly method: string;
  /** Path of an operation, or type of a webhook. */
  readonly path: string;
  readonly operation: DocumentedOperation;
}

/** Every operation under a tag, in the order of the document. */
export const operationsOf = (items: HttpDocument['paths'], tag: string): readonly Operation[] =>
  Object.entries(items).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([, { tags }]) => tags.includes(tag))
      .map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );

export const operationSection = (entry: Operation, document: HttpDocument): Html => {
  const { method, path, operation } = entry;
  const { operationId, summary, description, parameters = [], requestBody, responses, security } = operation;
  return html`<section class="operation" id="${operationId}">
<h2><span class="method ${method.toLowerCase()}">${method}</span> <code>${path}</code></h2>
<p class="summary">${inline(summary)}</p>${markdown(description)}
${security.length === 0 ? html`<p><small>No credential needed.</small></p>` : null}
${parameterTable(parameters)}${requestBody ? html`<h3>Body</h3>${contentTable(requestBody.content)}` : null}
${curl(entry, document)}${tryItForm(entry)}${answers(responses, document)}</section>`;
};

/** A webhook event: sent by the server, not requested. */
export const webhookSection = ({ path, operation }: Operation): Html =>
  html`<section class="operation" id="${operation.operationId}">
<h2><span class="method event">EVENT</span> <code>${path}</code></h2><p class="summary">${inline(operation.summary)}</p>
${contentTable(operation.requestBody?.content ?? {})}</section>`;

export const parameterTable = (parameters: readonly DocumentedParameter[]): Html | null => {
  if (parameters.length === 0) return null;
  const rows = parameters.map(
    ({ name, in: place, required, description, schema }) =>
      html`<tr><th scope="row"><code>${name}</code>${required ? '' : html` <small>optional</small>`}</th><td>${place}</td><td>${schemaType(schema)}</td><td>${description ? inline(description) : ''}</td></tr>`,
  );
  return html`<h3>Parameters</h3><table><thead><tr><th>Name</th><th>In</th><th>Type</th><th>Description</th></tr></thead><tbody>${rows}</tbody></table>`;
};

const contentTable = (contents: Contents): Html =>
  html`<ul>${Object.entries(contents).map(
    ([type, { schema }]) =>
      html`<li><code>${type}</code>${schema && Object.keys(schema).length > 0 ? html`: ${schemaType(schema)}` : ''}</li>`,
  )}</ul>`;

/** Errors are folded away, because most operations share them. */
const answers = (responses: DocumentedOperation['responses'], document: HttpDocument): Html => {
  const [fine, errors] = [Object.entries(responses).filter(isFine), Object.entries(responses).filter((entry) => !isFine(entry))];
  const list = errors.map(([status]) => status).join(', ');
  return html`<h3>Answers</h3>${answerTable(fine, document)}${
    errors.length > 0 ? html`<details class="errors"><summary>Errors: ${list}</summary>${answerTable(errors, document)}</details>` : null
  }`;
};

type Answer = readonly [status: string, answer: DocumentedOperation['responses'][string]];

const isFine = ([status]: Answer): boolean => Number(status) < 400;

const answerTable = (entries: readonly Answer[], { components }: HttpDocument): Html => {
  const rows = entries.map(([status, answer]) => {
    const {
      description = '',
      content = {},
      headers = {},
    }: DocumentedAnswer = answer.$ref === undefined
      ? answer
      : (components.responses[answer.$ref.replace('#/components/responses/', '')] ?? {});
    const own = Object.keys(headers).filter((name) => name !== 'X-Correlation-Id');
    return html`<tr><th scope="row">${status}</th><td>${inline(description)}</td><td>${Object.keys(content).length > 0 ? contentTable(content) : ''}</td><td>${own.map((name) => html`<code>${name}</code> `)}</td></tr>`;
  });
  return html`<table><thead><tr><th>Status</th><th>Means</th><th>Body</th><th>Headers</th></tr></thead><tbody>${rows}</tbody></table>`;
};

/** The example of an operation as a command; a test sends the same to a real server. */
const curl = ({ method, path, operation }: Operation, { servers }: HttpDocument): Html => {
  const { parameters = [], security } = operation;
  const query = new URLSearchParams();
  let target = path;
  for (const { name, in: place, example } of parameters) {
    if (place === 'path') target = target.replace(`{${name}}`, encodeURIComponent(String(example ?? name)));
    if (place === 'query' && example !== undefined) for (const value of [example].flat()) query.append(name, String(value));
  }
  const first = exampleBody(operation);
  const lines = [
    `curl -sS${method === 'GET' ? '' : ` -X ${method}`}`,
    ...(security.length === 0 ? [] : ['-H "Authorization: Basic $API_KEY"']),
    ...(first ? [`-H 'Content-Type: ${first.type}'`, `--data-raw ${quoted(first.text)}`] : []),
    quoted(`${servers[0]?.url ?? ''}${target}${query.size > 0 ? `?${query}` : ''}`),
  ];
  return html`<pre tabindex="0"><code>${lines.join(' \\\n  ')}</code></pre>`;
};

/** The first example of a body, as sent; `null` without one. */
const exampleBody = ({ requestBody }: DocumentedOperation): { readonly type: string; readonly text: string } | null => {
  const [first] = Object.entries(requestBody?.content ?? {}).flatMap(([type, { examples = {} }]) =>
    Object.values(examples).map(({ value }) => ({ type, text: bodyText(type, value) })),
  );
  return first ?? null;
};

const bodyText = (type: string, value: Json): string => {
  if (typeof value === 'string') return value;
  if (type !== 'application/x-www-form-urlencoded') return JSON.stringify(value);
  return new URLSearchParams(Object.fromEntries(Object.entries(value ?? {}).map(([name, one]) => [name, String(one)]))).toString();
};

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** A form that sends the request with the reader's credential. Hidden until the script of the page takes it. */
const tryItForm = ({ method, path, operation }: Operation): Html => {
  const { operationId, parameters = [], requestBody } = operation;
  const types = Object.keys(requestBody?.content ?? {});
  return html`<details class="try" data-try hidden><summary>Try it</summary>
<form data-method="${method}" data-path="${path}" aria-label="Try ${operationId}">
${parameters.map((parameter) => parameterField(operationId, parameter))}
${types.length > 0 ? bodyFields(operationId, types, exampleBody(operation)) : null}
<p class="actions"><button type="submit">Send</button> <button type="button" data-stop hidden>Stop</button></p>
<div data-answer role="status" aria-label="Answer of ${operationId}"></div></form></details>`;
};

const parameterField = (operationId: string, { name, in: place, required, example }: DocumentedParameter): Html => {
  const id = `try-${operationId}-${place}-${name}`;
  const value = place === 'path' && example !== undefined ? String(example) : '';
  return html`<p><label for="${id}">${name} <small>${place}${required ? '' : ', optional'}</small></label>
<input id="${id}" data-name="${name}" data-in="${place}" value="${value}" autocomplete="off" spellcheck="false"></p>`;
};

const bodyFields = (
  operationId: string,
  types: readonly string[],
  example: { readonly type: string; readonly text: string } | null,
): Html => {
  const id = `try-${operationId}-body`;
  const type = example?.type ?? types[0] ?? '';
  return html`<p><label for="${id}-type">Content type</label><input id="${id}-type" data-content-type value="${type.includes('*') ? 'application/octet-stream' : type}" autocomplete="off"></p>
<p><label for="${id}">Body</label><textarea id="${id}" data-body rows="6" spellcheck="false">${example?.text ?? ''}</textarea></p>
<p><label for="${id}-file">Or a file as the body</label><input id="${id}-file" data-file type="file"></p>`;
};

import type { HttpDocument, MessageDocument, SocketDocument } from './documents.ts';
import { type Html, html, inline, markdown } from './html.ts';
import { operationSection, operationsOf, parameterTable, webhookSection } from './operations.ts';
import { schemaBody, schemaList, schemaType } from './schemas.ts';
import { STYLE } from './style.ts';

const WEBHOOKS = 'Webhook events';

/** Both documents on one page, without script and without a request to anywhere. */
export const docsPage = (http: HttpDocument, socket: SocketDocument): string => {
  const tags = http.tags.filter(({ name }) => name !== WEBHOOKS);
  const parts = tags.map(
    ({ name, description }) => html`<section id="${anchor(name)}"><h2>${name}</h2>${description ? markdown(description) : null}
${operationsOf(http.paths, name).map((entry) => operationSection(entry, http))}</section>`,
  );
  const { title, version, description } = http.info;
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>${title} API</title><style>${STYLE}</style></head>
<body><a class="skip" href="#main">To the content</a>
<header><h1>${title} API <small>${version}</small></h1>
<p><a href="/openapi.json">openapi.json</a> <a href="/asyncapi.json">asyncapi.json</a> <a href="/">Dashboard</a></p></header>
<div class="columns"><nav aria-label="Operations">${navigation(http, tags)}</nav>
<main id="main"><section id="about">${markdown(description)}${credentials(http)}</section>${parts}
${webhooks(http)}${liveGateway(socket)}
<section id="schemas"><h2>Schemas</h2>${schemaList({ ...socket.components.schemas, ...http.components.schemas })}</section>
</main></div></body></html>`.text;
};

const anchor = (name: string): string => `tag-${name.toLowerCase().replaceAll(/[^a-z]+/g, '-')}`;

const navigation = (http: HttpDocument, tags: HttpDocument['tags']): Html => {
  const group = (name: string, items: readonly Html[]): Html =>
    html`<details><summary>${name}</summary><ul><li><a href="#${anchor(name)}">About</a></li>${items}</ul></details>`;
  const ofTag = (name: string): readonly Html[] =>
    operationsOf(http.paths, name).map(
      ({ method, operation }) =>
        html`<li><a href="#${operation.operationId}"><span class="method ${method.toLowerCase()}">${method}</span> ${operation.operationId}</a></li>`,
    );
  const events = operationsOf(http.webhooks, WEBHOOKS).map(
    ({ path, operation }) => html`<li><a href="#${operation.operationId}">${path}</a></li>`,
  );
  return html`<p><a href="#about">About</a></p>${tags.map(({ name }) => group(name, ofTag(name)))}${group(WEBHOOKS, events)}
<p><a href="#websocket">WebSocket messages</a></p><p><a href="#schemas">Schemas</a></p>`;
};

const credentials = ({ components }: HttpDocument): Html =>
  html`<h2>Credentials</h2><table><thead><tr><th>Scheme</th><th>Sent as</th><th></th></tr></thead><tbody>${Object.entries(
    components.securitySchemes,
  ).map(
    ([name, { type, name: sentAs, description }]) =>
      html`<tr><th scope="row">${name}</th><td><code>${sentAs ?? 'Authorization: Bearer'}</code> <small>${type}</small></td><td>${inline(description)}</td></tr>`,
  )}</tbody></table>`;

const webhooks = ({ webhooks: items, tags }: HttpDocument): Html => {
  const entries = operationsOf(items, WEBHOOKS);
  const [first] = entries;
  const about = tags.find(({ name }) => name === WEBHOOKS)?.description;
  return html`<section id="${anchor(WEBHOOKS)}"><h2>${WEBHOOKS}</h2>${about ? markdown(about) : null}
${first ? html`${markdown(first.operation.description)}${parameterTable(first.operation.parameters ?? [])}` : null}
${entries.map(webhookSection)}</section>`;
};

const liveGateway = ({ info, servers, channels }: SocketDocument): Html => {
  const { address, messages, bindings } = channels.gateway;
  const { protocol, host } = servers.tributary;
  const of = (side: string): Html =>
    html`${Object.entries(messages)
      .filter(([name]) => name.startsWith(`${side}.`))
      .map(([name, message]) => messageSection(name, message))}`;
  return html`<section id="websocket"><h2>WebSocket messages</h2><p><code>${`${protocol}://${host}${address}`}</code></p>${markdown(info.description)}
<h3>Query</h3>${schemaBody(bindings.ws.query)}
<h3>From the client</h3>${of('client')}<h3>From the server</h3>${of('server')}</section>`;
};

const messageSection = (id: string, { name, summary, contentType, payload, examples = [] }: MessageDocument): Html =>
  html`<section class="operation" id="${id}"><h4><code>${name}</code></h4><p>${inline(summary)}</p>
<p>${contentType === 'application/json' ? schemaType(payload) : 'Bytes, in a binary message.'}</p>
${examples.map((example) => html`<pre tabindex="0"><code>${JSON.stringify(example.payload)}</code></pre>`)}</section>`;

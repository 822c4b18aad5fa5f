import type { HttpDocument, SocketDocument } from './documents.ts';
import type { DocsFiles, Guide } from './files.ts';
import { frame, type Section } from './frame.ts';
import { type Html, html, inline, markdown } from './html.ts';
import { operationSection, operationsOf, parameterTable, webhookSection } from './operations.ts';
import { schemaList } from './schemas.ts';
import { type SearchEntry, searched, searchForm, searchResults } from './search.ts';
import { webSocketMessages, webSocketSection } from './webSocket.ts';

const WEBHOOKS = 'Webhook events';

/** The pages of `/docs`, made from both documents. */
export interface DocsSite {
  /** The overview, with search results after a search. */
  overview(query: string): string;
  /** `null` if the page does not exist. */
  section(name: string): string | null;
  guide(name: string): string | null;
}

/** Pages are made at their first request. */
export const docsSite = (http: HttpDocument, socket: SocketDocument, files: DocsFiles): DocsSite => {
  const sections = sectionsOf(http, socket, files);
  const entries = searchEntries(http, socket, files);
  const shared = { http, sections, files };
  const made = new Map<string, string>();
  const once = (key: string, make: () => string): string => {
    const page = made.get(key) ?? make();
    made.set(key, page);
    return page;
  };
  const introduction = overviewBody(http, sections, files.guides);
  return {
    overview: (query) => {
      const found = query === '' ? null : searchResults(query, searched(entries, query));
      return frame({ ...shared, title: 'Overview', current: null, body: html`${searchForm(query)}${found ?? introduction}` });
    },
    section: (name) => {
      const section = sections.find((one) => one.name === name);
      return section ? once(name, () => frame({ ...shared, title: section.title, current: name, body: section.body() })) : null;
    },
    guide: (name) => {
      const guide = files.guides.find((one) => one.name === name);
      return guide
        ? once(`guide ${name}`, () => frame({ ...shared, title: guide.title, current: `guides/${name}`, body: guide.body }))
        : null;
    },
  };
};

/** Part of the address of a tag's page: "live-gateway". */
const slugOf = (name: string): string => name.toLowerCase().replaceAll(/[^a-z]+/g, '-');

const sectionsOf = (http: HttpDocument, socket: SocketDocument, { script }: DocsFiles): readonly Section[] => [
  ...http.tags
    .filter(({ name }) => name !== WEBHOOKS)
    .map(({ name, description }): Section => {
      const operations = operationsOf(http.paths, name);
      return {
        name: slugOf(name),
        title: name,
        links: operations.map(({ method, operation }) => ({ id: operation.operationId, method, title: operation.operationId })),
        body: () => html`<section>${description ? markdown(description) : null}
${script ? CREDENTIAL_BAR : null}${operations.map((entry) => operationSection(entry, http))}</section>`,
      };
    }),
  webhookEvents(http),
  {
    name: 'websocket',
    title: 'WebSocket messages',
    links: webSocketMessages(socket).map(({ id, message }) => ({ id, method: null, title: message.name })),
    body: () => webSocketSection(socket),
  },
  {
    name: 'schemas',
    title: 'Schemas',
    links: [],
    body: () => html`<section>${schemaList({ ...socket.components.schemas, ...http.components.schemas })}</section>`,
  },
];

/** The owner of the credential that “Try it” sends; the script fills it in. */
const CREDENTIAL_BAR: Html = html`<form class="credential" data-credential hidden aria-label="Credential for “Try it”">
<p data-signed-in hidden>“Try it” sends requests with the credential that you are signed in with.</p>
<p data-signed-out><label for="api-key">API key for “Try it”</label> <input id="api-key" type="password" autocomplete="off"> <button type="submit">Use in this tab</button></p></form>`;

const webhookEvents = ({ webhooks: items, tags }: HttpDocument): Section => {
  const entries = operationsOf(items, WEBHOOKS);
  const [first] = entries;
  const about = tags.find(({ name }) => name === WEBHOOKS)?.description;
  return {
    name: slugOf(WEBHOOKS),
    title: WEBHOOKS,
    links: entries.map(({ path, operation }) => ({ id: operation.operationId, method: null, title: path })),
    body: () => html`<section>${about ? markdown(about) : null}
${first ? html`<h2>Every event</h2>${markdown(first.operation.description)}${parameterTable(first.operation.parameters ?? [])}` : null}
${entries.map(webhookSection)}</section>`,
  };
};

const overviewBody = (http: HttpDocument, sections: readonly Section[], guides: readonly Guide[]): Html =>
  html`<section id="about">${markdown(http.info.description)}${credentials(http)}</section>
${
  guides.length > 0
    ? html`<section id="guides"><h2>Guides</h2><ul>${guides.map(({ name, title }) => html`<li><a href="/docs/guides/${name}">${title}</a></li>`)}</ul></section>`
    : null
}
<section id="operations"><h2>Operations and events</h2>${sections.map(
    ({ name, title, links }) => html`<h3><a href="/docs/${name}">${title}</a></h3>
<ul>${links.map(({ id, method, title: one }) => html`<li id="${id}"><a href="/docs/${name}#${id}">${method ? html`<span class="method ${method.toLowerCase()}">${method}</span> ` : null}${one}</a></li>`)}</ul>`,
  )}</section>`;

const credentials = ({ components }: HttpDocument): Html =>
  html`<h2>Credentials</h2><table><thead><tr><th>Scheme</th><th>Sent as</th><th>Description</th></tr></thead><tbody>${Object.entries(
    components.securitySchemes,
  ).map(
    ([name, { type, name: sentAs, description }]) =>
      html`<tr><th scope="row">${name}</th><td><code>${sentAs ?? 'Authorization: Bearer'}</code> <small>${type}</small></td><td>${inline(description)}</td></tr>`,
  )}</tbody></table>`;

const searchEntries = (http: HttpDocument, socket: SocketDocument, { guides }: DocsFiles): readonly SearchEntry[] => [
  ...http.tags.flatMap(({ name }) =>
    operationsOf(name === WEBHOOKS ? http.webhooks : http.paths, name).map(({ method, path, operation }): SearchEntry => {
      const { operationId, summary, description, parameters = [] } = operation;
      const isEvent = name === WEBHOOKS;
      return {
        title: isEvent ? path : `${method} ${path}`,
        kind: isEvent ? 'Event' : 'Operation',
        href: `/docs/${slugOf(name)}#${operationId}`,
        summary,
        text: [operationId, name, description, ...parameters.map((one) => `${one.name} ${one.description ?? ''}`)].join(' '),
      };
    }),
  ),
  ...webSocketMessages(socket).map(
    ({ id, message: { name, summary } }): SearchEntry => ({
      title: name,
      kind: 'Message',
      href: `/docs/websocket#${id}`,
      summary,
      text: id,
    }),
  ),
  ...guides.map(
    ({ name, title, body }): SearchEntry => ({
      title,
      kind: 'Guide',
      href: `/docs/guides/${name}`,
      summary: '',
      text: body.text.replaceAll(/<[^>]*>/g, ' '),
    }),
  ),
  ...Object.entries({ ...socket.components.schemas, ...http.components.schemas }).map(
    ([name, schema]): SearchEntry => ({
      title: name,
      kind: 'Schema',
      href: `/docs/schemas#schema-${name}`,
      summary: typeof schema.description === 'string' ? schema.description : '',
      text: JSON.stringify(schema.properties ?? ''),
    }),
  ),
];

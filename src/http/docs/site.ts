import type { JsonSchema } from '../../json.ts';
import type { DocsFiles, Guide } from './files.ts';
import { Html, html, inline } from './html.ts';
import { MOST_CHARACTERS, type SearchEntry, searched } from './search.ts';

type PathItems = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
}

/** The parts of `/openapi.json` that search and addresses need. */
export interface HttpDocument {
  readonly tags: readonly { readonly name: string }[];
  readonly paths: PathItems;
  readonly webhooks: PathItems;
}

interface Message {
  readonly name: string;
  readonly summary: string;
  readonly payload: JsonSchema;
  readonly examples?: readonly { readonly payload: unknown }[];
}

/** The parts of `/asyncapi.json` that its page shows. */
export interface SocketDocument {
  readonly info: { readonly description: string };
  readonly servers: { readonly tributary: { readonly host: string; readonly protocol: string } };
  readonly channels: {
    readonly gateway: {
      readonly address: string;
      readonly messages: Readonly<Record<string, Message>>;
      readonly bindings: { readonly ws: { readonly query: JsonSchema } };
    };
  };
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
}

const TABS = [
  ['/docs', 'HTTP'],
  ['/docs/websocket', 'WebSocket'],
  ['/docs/guides', 'Guides'],
  ['/', 'Dashboard'],
] as const;

/** The common parts of all pages. `tab`: the address of the one that the page belongs to. */
const frame = ({ asset }: DocsFiles, tab: string, title: string, body: Html, query = ''): string =>
  html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Tributary API</title><link rel="icon" href="${asset('icon.svg')}" type="image/svg+xml">
<link rel="stylesheet" href="${asset('docs.css')}"><script type="module" src="${asset('docs.js')}"></script></head>
<body><header><nav aria-label="Documents">${TABS.map(([to, name]) => html`<a href="${to}"${to === tab ? html` aria-current="page"` : null}>${name}</a> `)}</nav>
<form role="search" action="/docs"><input name="q" type="search" aria-label="Search the documents" placeholder="Search" maxlength="${String(MOST_CHARACTERS)}" value="${query}"><button>Search</button></form></header>
${body}</body></html>`.text;

/** The viewer of `/openapi.json`, which a script puts here. */
export const httpPage = (files: DocsFiles): string =>
  frame(
    files,
    '/docs',
    'HTTP',
    html`<link rel="stylesheet" href="${files.asset('viewer.css')}"><div id="viewer"><noscript>The viewer needs JavaScript. The document itself is <a href="/openapi.json">openapi.json</a>.</noscript></div>`,
  );

export const webSocketPage = (files: DocsFiles, { info, servers, channels, components }: SocketDocument): string => {
  const { address, messages, bindings } = channels.gateway;
  const of = (side: string): readonly Html[] =>
    Object.entries(messages)
      .filter(([id]) => id.startsWith(side))
      .map(
        ([id, { name, summary, payload, examples = [] }]) => html`<section id="${id}"><h3>${name}</h3><p>${inline(summary)}</p>${schema(payload)}
${examples.map((example) => html`<p>Example:</p>${json(example.payload)}`)}</section>`,
      );
  const { protocol, host } = servers.tributary;
  const body = html`<main><h1>WebSocket gateway</h1><p><code>${`${protocol}://${host}${address}`}</code>, described by <a href="/asyncapi.json">asyncapi.json</a>.</p>
${info.description.split(/\n{2,}/).map((paragraph) => html`<p>${inline(paragraph)}</p>`)}<h2>Query</h2>${schema(bindings.ws.query)}
<h2>From the client</h2>${of('client.')}<h2>From the server</h2>${of('server.')}
<h2>Schemas</h2>${Object.entries(components.schemas).map(([name, one]) => html`<section id="schema-${name}"><h3>${name}</h3>${schema(one)}</section>`)}</main>`;
  return frame(files, '/docs/websocket', 'WebSocket', body);
};

const json = (value: unknown): Html => html`<pre tabindex="0"><code>${JSON.stringify(value, null, 2)}</code></pre>`;

/** Its names of other schemas lead to these. */
const schema = (value: JsonSchema): Html =>
  new Html(json(value).text.replaceAll(/#\/components\/schemas\/(\w+)/g, '<a href="#schema-$1">$1</a>'));

export const guideIndex = (files: DocsFiles): string =>
  frame(files, '/docs/guides', 'Guides', html`<main><h1>Guides</h1>${guideList(files.guides, '')}</main>`);

export const guidePage = (files: DocsFiles, { name, title, body }: Guide): string =>
  frame(files, '/docs/guides', title, html`<div class="beside"><main>${body}</main><nav aria-label="Guides">${guideList(files.guides, name)}</nav></div>`);

const guideList = (guides: readonly Guide[], current: string): Html =>
  html`<ul>${guides.map(({ name, title }) => html`<li><a href="/docs/guides/${name}"${name === current ? html` aria-current="page"` : null}>${title}</a></li>`)}</ul>`;

export const searchPage = (files: DocsFiles, entries: readonly SearchEntry[], query: string): string => {
  const found = searched(entries, query);
  const body = html`<main><h1>${found.length === 0 ? 'Nothing found' : `${found.length} found`} for “${query}”</h1>
<ul class="results">${found.map(({ title, kind, href, summary }) => html`<li><small>${kind}</small> <a href="${href}">${title}</a><br>${inline(summary)}</li>`)}</ul></main>`;
  return frame(files, '', 'Search', body, query);
};

/** What the search finds. Addresses of operations are those of the viewer. */
export const searchEntries = (http: HttpDocument, socket: SocketDocument, { guides }: DocsFiles): readonly SearchEntry[] => [
  ...operations('Operation', http.paths),
  ...operations('Event', http.webhooks),
  ...Object.entries(socket.channels.gateway.messages).map(
    ([id, { name, summary }]) => ({ kind: 'Message', title: name, summary, text: id, href: `/docs/websocket#${id}` }) as const,
  ),
  ...guides.map(
    ({ name, title, body }) => ({ kind: 'Guide', title, summary: '', text: body.text.replaceAll(/<[^>]*>/g, ' '), href: `/docs/guides/${name}` }) as const,
  ),
];

const operations = (kind: 'Operation' | 'Event', items: PathItems): readonly SearchEntry[] =>
  Object.entries(items).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { operationId, tags, summary, description }]) => ({
      kind,
      title: kind === 'Event' ? path : `${method.toUpperCase()} ${path}`,
      summary,
      text: [operationId, ...tags, description].join(' '),
      href: `/docs#/${kind === 'Event' ? 'webhooks' : encodeURIComponent(tags[0] ?? '')}/${operationId}`,
    })),
  );

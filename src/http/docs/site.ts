import type { AsyncapiDocument } from '../asyncapi/asyncapi.ts';
import type { DocsFiles, Guide } from './files.ts';
import { type Html, html, inline } from './html.ts';
import { MOST_CHARACTERS, type SearchEntry } from './search.ts';

const TABS = { '/docs': 'HTTP', '/docs/websocket': 'WebSocket', '/docs/guides': 'Guides', '/': 'Dashboard' };

/** The common parts of all pages. `tab`: the address of the one that the page belongs to. */
const frame = ({ assets }: DocsFiles, tab: keyof typeof TABS | '', title: string, body: Html, query = ''): string =>
  html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Tributary API</title><link rel="icon" href="${assets.icon}" type="image/svg+xml">
<link rel="stylesheet" href="${assets.style}"><script type="module" src="${assets.script}"></script></head>
<body><header><nav aria-label="Documents">${Object.entries(TABS).map(([to, name]) => html`${link(to, name, to === tab)} `)}</nav>
<form role="search" action="/docs"><input name="q" type="search" aria-label="Search the documents" placeholder="Search" maxlength="${String(MOST_CHARACTERS)}" value="${query}"><button>Search</button></form></header>
${body}</body></html>`.html;

const link = (to: string, name: string, isCurrent: boolean): Html =>
  html`<a href="${to}"${isCurrent ? html` aria-current="page"` : null}>${name}</a>`;

/** The viewer of `/openapi.json`, which the script puts here. */
export const httpPage = (files: DocsFiles): string =>
  frame(
    files,
    '/docs',
    'HTTP',
    html`<link rel="stylesheet" href="${files.assets.viewerStyle}"><div id="viewer"><noscript>The viewer needs JavaScript. The document itself is <a href="/openapi.json">openapi.json</a>.</noscript></div>`,
  );

/** The AsyncAPI document: the gateway, its messages in both directions, and their schemas. */
export const webSocketPage = (files: DocsFiles, { info, servers, channels, components }: AsyncapiDocument): string => {
  const { address, messages, bindings } = channels.gateway;
  const of = (side: string): readonly Html[] =>
    Object.entries(messages)
      .filter(([id]) => id.startsWith(side))
      .map(
        ([
          id,
          { name, summary, payload, examples = [] },
        ]) => html`<section id="${id}"><h3>${name}</h3><p>${inline(summary)}</p>${schema(payload)}
${examples.map((example) => html`<p>Example:</p>${json(example.payload)}`)}</section>`,
      );
  const { protocol, host } = servers.tributary;
  const body = html`<main><h1>WebSocket gateway</h1><p><code>${`${protocol}://${host}${address}`}</code>, described by <a href="/asyncapi.json">asyncapi.json</a>.</p>
${info.description.split(/\n{2,}/).map((paragraph) => html`<p>${inline(paragraph)}</p>`)}<h2>Query</h2>${schema(bindings.ws.query)}
<h2>From the client</h2>${of('client.')}<h2>From the server</h2>${of('server.')}
<h2>Schemas</h2>${Object.entries(components.schemas).map(([name, one]) => html`<section id="schema-${name}"><h3>${name}</h3>${schema(one)}</section>`)}</main>`;
  return frame(files, '/docs/websocket', 'WebSocket', body);
};

const json = (value: object): Html => html`<pre tabindex="0"><code>${JSON.stringify(value, null, 2)}</code></pre>`;

/** Its names of other schemas lead to these. */
const schema = (value: object): Html => ({
  html: json(value).html.replaceAll(/#\/components\/schemas\/(\w+)/g, '<a href="#schema-$1">$1</a>'),
});

export const guideIndex = (files: DocsFiles): string =>
  frame(files, '/docs/guides', 'Guides', html`<main><h1>Guides</h1>${guideList(files.guides)}</main>`);

export const guidePage = (files: DocsFiles, guide: Guide): string => {
  const list = html`<nav aria-label="Guides">${guideList(files.guides, guide)}</nav>`;
  return frame(files, '/docs/guides', guide.title, html`<div class="beside"><main>${guide}</main>${list}</div>`);
};

const guideList = (guides: readonly Guide[], current?: Guide): Html =>
  html`<ul class="results">${guides.map((guide) => html`<li>${link(`/docs/guides/${guide.name}`, guide.title, guide === current)}</li>`)}</ul>`;

export const searchPage = (files: DocsFiles, found: readonly SearchEntry[], query: string): string => {
  const body = html`<main><h1>${found.length === 0 ? 'Nothing found' : `${String(found.length)} found`} for “${query}”</h1>
<ul class="results">${found.map(({ title, kind, href, summary }) => html`<li><small>${kind}</small> <a href="${href}">${title}</a><br>${inline(summary)}</li>`)}</ul></main>`;
  return frame(files, '', 'Search', body, query);
};

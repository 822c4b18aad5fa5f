import type { HttpDocument } from './documents.ts';
import type { DocsFiles, Guide } from './files.ts';
import { type Html, html } from './html.ts';
import { STYLE } from './style.ts';

/** A page of the API documents. */
export interface Section {
  /** The last part of its address. */
  readonly name: string;
  readonly title: string;
  /** Its content; `method` only for operations. */
  readonly links: readonly { readonly id: string; readonly method: string | null; readonly title: string }[];
  readonly body: () => Html;
}

interface FrameProps {
  readonly http: HttpDocument;
  readonly sections: readonly Section[];
  readonly files: DocsFiles;
  readonly title: string;
  /** Address of the page after `/docs/`; `null` for the overview. */
  readonly current: string | null;
  readonly body: Html;
}

/** The common parts of all pages: title, navigation, style, script. */
export const frame = ({ http, sections, files: { guides, script, icon }, title, current, body }: FrameProps): string => {
  const { title: product, version } = http.info;
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>${title} · ${product} API</title><style>${STYLE}</style>
${icon ? html`<link rel="icon" href="${icon}" type="image/svg+xml">` : null}${script ? html`<script type="module" src="${script}"></script>` : null}</head>
<body><a class="skip" href="#main">To the content</a>
<header><p class="name"><a href="/docs">${product} API</a> <small>${version}</small></p>
<p><a href="/openapi.json">openapi.json</a> <a href="/asyncapi.json">asyncapi.json</a> <a href="/">Dashboard</a></p></header>
<div class="columns"><nav aria-label="Documents">${navigation(sections, guides, current)}</nav>
<main id="main"><h1>${title}</h1>${body}</main></div></body></html>`.text;
};

const navigation = (sections: readonly Section[], guides: readonly Guide[], current: string | null): Html =>
  html`<ul><li>${link('/docs', 'Overview and search', current === null)}</li>
${sections.map(
  ({ name, title, links }) =>
    html`<li>${link(`/docs/${name}`, title, name === current)}${
      name === current && links.length > 0
        ? html`<ul>${links.map(({ id, method, title: one }) => html`<li><a href="#${id}">${method ? html`<span class="method ${method.toLowerCase()}">${method}</span> ` : null}${one}</a></li>`)}</ul>`
        : null
    }</li>`,
)}</ul>
${
  guides.length > 0
    ? html`<p>Guides</p><ul>${guides.map(({ name, title }) => html`<li>${link(`/docs/guides/${name}`, title, `guides/${name}` === current)}</li>`)}</ul>`
    : null
}`;

const link = (to: string, title: string, isCurrent: boolean): Html =>
  isCurrent ? html`<a href="${to}" aria-current="page">${title}</a>` : html`<a href="${to}">${title}</a>`;

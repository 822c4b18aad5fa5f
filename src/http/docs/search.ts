import type { AsyncapiDocument } from '../asyncapi/asyncapi.ts';
import { webhookItems } from '../openapi/webhooks.ts';
import { Components } from '../route/components.ts';
import type { Route } from '../route/route.ts';
import type { Guide } from './files.ts';

/** An entry of the search. `text` is searched in addition to the title and the summary. */
export interface SearchEntry {
  readonly title: string;
  readonly kind: string;
  readonly href: string;
  readonly summary: string;
  readonly text: string;
}

export const MOST_CHARACTERS = 100;

/** Entries that have every word of the query, those with most words in the title first. */
export const searched = (entries: readonly SearchEntry[], query: string): readonly SearchEntry[] => {
  const words = query.toLowerCase().slice(0, MOST_CHARACTERS).split(/\s+/).filter(Boolean);
  const wordsIn = (text: string): number => words.filter((word) => text.includes(word)).length;
  return entries
    .filter(({ title, summary, text }) => wordsIn(`${title} ${summary} ${text}`.toLowerCase()) === words.length)
    .map((entry) => ({ entry, inTitle: wordsIn(entry.title.toLowerCase()) }))
    .sort((a, b) => b.inTitle - a.inTitle)
    .map(({ entry }) => entry);
};

/** A result of the search. Addresses behind `#/` are those of the viewer. */
export const searchEntries = (routes: readonly Route[], socket: AsyncapiDocument, guides: readonly Guide[]): readonly SearchEntry[] => [
  ...routes.map(({ method, path, tag, operationId, summary, description }) => {
    const href = `/docs#/${encodeURIComponent(tag)}/${operationId}`;
    return { kind: 'Operation', title: `${method} ${path}`, summary, text: `${operationId} ${tag} ${description}`, href };
  }),
  ...Object.entries(webhookItems(new Components())).map(
    ([
      title,
      {
        post: { operationId, summary },
      },
    ]) => {
      return { kind: 'Event', title, summary, text: `${operationId} webhook`, href: `/docs#/webhooks/${operationId}` };
    },
  ),
  ...Object.entries(socket.channels.gateway.messages).map(([id, { name, summary }]) => {
    return { kind: 'Message', title: name, summary, text: id, href: `/docs/websocket#${id}` };
  }),
  ...guides.map(({ name, title, html }) => {
    return { kind: 'Guide', title, summary: '', text: html.replaceAll(/<[^>]*>/g, ' '), href: `/docs/guides/${name}` };
  }),
];

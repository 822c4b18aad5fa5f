import { type Html, html } from './html.ts';

/** An entry of the search. `text` is searched in addition to the title. */
export interface SearchEntry {
  readonly title: string;
  readonly kind: 'Operation' | 'Event' | 'Message' | 'Schema' | 'Guide';
  readonly href: string;
  readonly summary: string;
  readonly text: string;
}

export const MOST_CHARACTERS = 100;
const MOST_RESULTS = 50;

/** Entries that have every word of the query, those with a word in the title first. */
export const searched = (entries: readonly SearchEntry[], query: string): readonly SearchEntry[] => {
  const words = [...new Set(query.toLowerCase().slice(0, MOST_CHARACTERS).split(/\s+/).filter(Boolean))];
  if (words.length === 0) return [];
  const found = entries.flatMap((entry) => {
    const whole = wholeOf(entry);
    if (!words.every((word) => whole.includes(word))) return [];
    const title = entry.title.toLowerCase();
    return [{ entry, score: words.filter((word) => title.includes(word)).length }];
  });
  const sorted = found.toSorted((a, b) => b.score - a.score).slice(0, MOST_RESULTS);
  return sorted.map(({ entry }) => entry);
};

const wholeOf = ({ title, summary, text }: SearchEntry): string => `${title} ${summary} ${text}`.toLowerCase();

export const searchForm = (query = ''): Html =>
  html`<form class="search" role="search" action="/docs" method="get"><label for="q">Search the documents</label>
<input id="q" name="q" type="search" maxlength="${MOST_CHARACTERS}" value="${query}" autocomplete="off"><button type="submit">Search</button></form>`;

export const searchResults = (query: string, found: readonly SearchEntry[]): Html =>
  html`<section id="results"><h2>${found.length === 0 ? 'Nothing found' : `${found.length} found`} for “${query}”</h2>
${
  found.length === 0
    ? html`<p>Try fewer or other words, such as the path of an operation or a member of a body.</p>`
    : html`<ul class="results">${found.map(({ title, kind, href, summary }) => html`<li><small>${kind}</small> <a href="${href}">${title}</a><br>${summary}</li>`)}</ul>`
}</section>`;

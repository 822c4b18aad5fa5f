/** An entry of the search. `text` is searched in addition to the title and the summary. */
export interface SearchEntry {
  readonly title: string;
  readonly kind: 'Operation' | 'Event' | 'Message' | 'Guide';
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

const SAME: Readonly<Record<string, string>> = { neighbor: 'neighbour', everyone: 'everybody' };

/** Lower case, without punctuation. Spelling variants count as the same word. */
export const wordsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .replaceAll('’', "'")
    .replaceAll(/\bto-(day|morrow|night)\b/g, 'to$1')
    .split(/[^a-z0-9']+/)
    .filter((word) => word !== '')
    .map((word) => SAME[word] ?? word);

/** Substitutions, deletions and insertions between the spoken and the recognised text (edit distance in words). */
export const wordErrors = (said: readonly string[], heard: readonly string[]): number => {
  let row = Array.from({ length: heard.length + 1 }, (_, n) => n);
  said.forEach((word, n) => {
    const next = [n + 1];
    heard.forEach((other, m) => {
      next.push(Math.min((row[m + 1] ?? 0) + 1, (next[m] ?? 0) + 1, (row[m] ?? 0) + (word === other ? 0 : 1)));
    });
    row = next;
  });
  return row[heard.length] ?? 0;
};

/** A word with its leading space. */
export interface TimedText {
  readonly text: string;
  readonly start: number | null;
  readonly end: number | null;
  readonly confidence: number | null;
}

/** A piece of the joined text of some words, and what replaces it. Offsets in UTF-16 units. */
export interface Span {
  readonly from: number;
  readonly to: number;
  readonly by: string;
}

/**
 * The words with the spans of their joined text replaced. Words under one span become one word, from the start of the first to the end of the last,
 * as sure as the least sure of them. Words without text are left out. Spans are in order and do not overlap.
 */
export const replaceSpans = <Word extends TimedText>(words: readonly Word[], spans: readonly Span[]): Word[] => {
  const replaced: Word[] = [];
  let at = 0;
  let next = 0;
  for (let n = 0; n < words.length; ) {
    const begins = at;
    const under: Word[] = [];
    let text = '';
    // A word can lie under several spans, and a span over several words: those that share one become one.
    do {
      const word = words[n++];
      if (!word) break;
      under.push(word);
      text += word.text;
      at += word.text.length;
      while ((spans[next]?.to ?? Number.POSITIVE_INFINITY) <= at) next++;
    } while ((spans[next]?.from ?? Number.POSITIVE_INFINITY) < at);
    replaced.push(...joined(under, withinText(text, begins, spans)));
  }
  return replaced.filter(({ text }) => text.trim() !== '');
};

const withinText = (text: string, begins: number, spans: readonly Span[]): string => {
  let done = '';
  let at = begins;
  for (const { from, to, by } of spans.filter((span) => span.from >= begins && span.from < begins + text.length)) {
    done += text.slice(at - begins, from - begins) + by;
    at = to;
  }
  return done + text.slice(at - begins);
};

const joined = <Word extends TimedText>(words: readonly Word[], text: string): Word[] => {
  const [first] = words;
  const last = words.at(-1);
  if (!first || !last) return [];
  if (words.length === 1) return [{ ...first, text }];
  const sure = words.map(({ confidence }) => confidence).filter((confidence) => confidence !== null);
  return [{ ...first, text, end: last.end, confidence: sure.length > 0 ? Math.min(...sure) : null }];
};

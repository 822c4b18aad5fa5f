/** HTML that needs no escaping: every other text is escaped when inserted. */
export interface Html {
  readonly html: string;
}

type Part = Html | string | null | readonly Html[];

/** A template whose texts are escaped; lists are joined, `null` leaves nothing. */
export const html = (strings: TemplateStringsArray, ...parts: readonly Part[]): Html => ({
  html: String.raw({ raw: strings }, ...parts.map(textOf)),
});

const textOf = (part: Part): string => {
  if (typeof part === 'string') return escaped(part);
  return [part ?? []]
    .flat()
    .map((one) => one.html)
    .join('');
};

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;').replaceAll("'", '&#39;');

/** The Markdown of the documents: `code` and **bold**. */
export const inline = (text: string): Html => ({
  html: escaped(text)
    .replaceAll(/`([^`]+)`/g, '<code>$1</code>')
    .replaceAll(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>'),
});

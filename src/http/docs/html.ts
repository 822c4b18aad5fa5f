/** HTML that needs no escaping: every other text is escaped when inserted. */
export interface Html {
  readonly html: string;
}

/** A template whose texts are escaped; lists are joined, `null` leaves nothing. */
export const html = (strings: TemplateStringsArray, ...parts: readonly (Html | string | null | readonly Html[])[]): Html => ({
  html: strings.reduce((whole, string, index) => {
    const part = parts[index - 1] ?? [];
    return (
      whole +
      (typeof part === 'string'
        ? escaped(part)
        : [part]
            .flat()
            .map((one) => one.html)
            .join('')) +
      string
    );
  }),
});

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;').replaceAll("'", '&#39;');

/** The Markdown of the documents: `code` and **bold**. */
export const inline = (text: string): Html => ({
  html: escaped(text)
    .replaceAll(/`([^`]+)`/g, '<code>$1</code>')
    .replaceAll(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>'),
});

/** HTML that needs no escaping: everything else is escaped when inserted. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = Html | string | number | null | undefined | false | readonly Part[];

/** A template whose values are escaped unless they are HTML; lists are joined, missing values leave nothing. */
export const html = (strings: TemplateStringsArray, ...parts: readonly Part[]): Html =>
  new Html(strings.reduce((whole, string, index) => whole + textOf(parts[index - 1]) + string));

const textOf = (part: Part): string => {
  if (part === null || part === undefined || part === false) return '';
  if (part instanceof Html) return part.text;
  if (typeof part === 'string' || typeof part === 'number') return escaped(String(part));
  return part.map(textOf).join('');
};

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;').replaceAll("'", '&#39;');

/** The Markdown of the documents: paragraphs, `code` and **bold**. */
export const markdown = (text: string): Html =>
  new Html(
    text
      .split(/\n{2,}/)
      .map((paragraph) => `<p>${inline(paragraph).text}</p>`)
      .join(''),
  );

export const inline = (text: string): Html =>
  new Html(
    escaped(text)
      .replaceAll(/`([^`]+)`/g, '<code>$1</code>')
      .replaceAll(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>'),
  );

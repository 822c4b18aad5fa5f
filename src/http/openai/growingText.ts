/** A text that arrives in pieces, which are never revised: joined, they are the text. A space between two pieces belongs to the later one. */
export class GrowingText {
  #pieces: string[] = [];
  #length = 0;
  #held = '';

  /** The addition of `text`; empty if it contains only spaces. */
  add(text: string): string {
    const isFirst = this.#pieces.length === 0;
    const whole = isFirst ? text.trimStart() : this.#held + text;
    const kept = whole.trimEnd();
    if (kept === '') return '';
    this.#held = whole.slice(kept.length);
    const piece = isFirst || /^\s/.test(kept) ? kept : ` ${kept}`;
    this.#pieces.push(piece);
    this.#length += piece.length;
    return piece;
  }

  get length(): number {
    return this.#length;
  }

  /** Returns the whole text and empties this one, so that a long text is in memory once. */
  take(): string {
    const text = this.#pieces.join('');
    this.#pieces = [];
    this.#length = 0;
    this.#held = '';
    return text;
  }
}

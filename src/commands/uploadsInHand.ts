/** Small uploads from their first byte to their answer. Work without a waiting caller gives way to them. */
export class UploadsInHand {
  #count = 0;
  #onChange: ((count: number) => void) | null = null;

  get count(): number {
    return this.#count;
  }

  /** Call the returned function once, when the upload is over. */
  begin(): () => void {
    this.#change(1);
    return () => this.#change(-1);
  }

  /** `onChange` is called after each change. One listener. */
  listen(onChange: (count: number) => void): void {
    this.#onChange = onChange;
  }

  #change(by: 1 | -1): void {
    this.#count += by;
    this.#onChange?.(this.#count);
  }
}

/** How many bytes users hold in memory, each and all together. */
export class BytesOfUsers {
  readonly #ofUsers = new Map<string, number>();
  #total = 0;

  get total(): number {
    return this.#total;
  }

  of(user: string): number {
    return this.#ofUsers.get(user) ?? 0;
  }

  /** `bytes` are negative when they are released. */
  add(user: string, bytes: number): void {
    this.#total += bytes;
    const own = this.of(user) + bytes;
    if (own > 0) this.#ofUsers.set(user, own);
    else this.#ofUsers.delete(user);
  }
}

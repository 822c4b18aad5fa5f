// Who appended what, by the name of the connection, for tests that kill a client between two of its steps.

export class Witness {
  #isWatching = false;
  #seen = [];
  #hold = null;

  /** From now on appends are kept until they are taken. */
  watch() {
    this.#isWatching = true;
  }

  /** The appends since the last call, in the order of their arrival. */
  take() {
    const seen = this.#seen;
    this.#seen = [];
    return seen;
  }

  /**
   * Holds the next append of one of these clients whose last event has this type: it is never answered, and stored only if `stored`. Resolves with the
   * client's name, or with `null` after `milliseconds` without such an append.
   */
  holdNext({ by, last, stored, milliseconds }) {
    return new Promise((resolve) => {
      const hold = { by: new Set(by), last, stored };
      const over = (name) => {
        clearTimeout(timer);
        if (this.#hold === hold) this.#hold = null;
        resolve(name);
      };
      const timer = setTimeout(over, milliseconds, null);
      this.#hold = { ...hold, over };
    });
  }

  /** The hold that this append meets, or `null`. */
  meets(name, events) {
    const hold = this.#hold;
    if (!hold?.by.has(name) || events.at(-1)?.type !== hold.last) return null;
    this.#hold = null;
    hold.over(name);
    return hold;
  }

  /** `position`: `null` for an append that is held and not stored. */
  note(by, eventStream, events, position) {
    if (!this.#isWatching) return;
    const told = events.map(({ id, type, data }) => ({ id, type, data: Buffer.from(data).toString() }));
    this.#seen.push({ by, eventStream, events: told, position, at: Date.now() });
  }
}

/** One line per component, rewritten in place on a terminal; elsewhere one line per change. */
export class LiveLines {
  readonly #output: NodeJS.WriteStream;
  #shown = new Map<string, string>();

  constructor(output: NodeJS.WriteStream) {
    this.#output = output;
  }

  show(lines: ReadonlyMap<string, string>): void {
    if (this.#output.isTTY) {
      if (this.#shown.size > 0) this.#output.write(`\x1b[${this.#shown.size}A`);
      for (const [name, state] of lines) this.#output.write(`\x1b[2K  ${name.padEnd(14)} ${state}\n`);
    } else {
      for (const [name, state] of lines) if (this.#shown.get(name) !== state) this.#output.write(`  ${name.padEnd(14)} ${state}\n`);
    }
    this.#shown = new Map(lines);
  }
}

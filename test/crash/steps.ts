/** Between which steps the kills of a run fell, as the stores of the killed process show. */
export interface Interruptions {
  /** Reads what the process killed last has left. Only what it changed itself counts. `acknowledged`: streams whose upload was answered. */
  look(acknowledged: { has(streamId: string): boolean }): Promise<void>;
  told(): string;
  /** Steps without a kill between them and the next, except rare ones. */
  missing(): readonly string[];
}

/** Counts kills by step. */
export class Steps<Step extends string> {
  readonly #kills: Map<Step, number>;
  readonly #rare: ReadonlySet<Step>;

  /** `rare`: steps that a run may miss. */
  constructor(steps: readonly Step[], rare: readonly Step[]) {
    this.#kills = new Map(steps.map((step) => [step, 0]));
    this.#rare = new Set(rare);
  }

  /** Counts one kill between each of these steps and the next. */
  add(found: Iterable<Step>): void {
    for (const step of new Set(found)) this.#kills.set(step, (this.#kills.get(step) ?? 0) + 1);
  }

  told(): string {
    return `kills at which ${[...this.#kills].map(([step, kills]) => `${step}: ${kills}`).join('; ')}`;
  }

  missing(): Step[] {
    return [...this.#kills].filter(([step, kills]) => kills === 0 && !this.#rare.has(step)).map(([step]) => step);
  }
}

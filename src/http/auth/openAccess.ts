import type { Clock } from '../../clock.ts';
import type { Caller } from '../../domain/credentials/caller.ts';
import type { CredentialDirectory } from './credentialDirectory.ts';

const LOOK_MILLISECONDS = 5_000;

interface Access {
  readonly caller: Caller;
  readonly end: () => void;
}

/** Requests and sessions that are open. Those that last end within some seconds after their credential was revoked, on any node. */
export class OpenAccess {
  readonly #directory: Pick<CredentialDirectory, 'isRevoked'>;
  readonly #clock: Pick<Clock, 'pause'>;
  readonly #open = new Set<Access>();
  #looking = false;

  constructor(directory: Pick<CredentialDirectory, 'isRevoked'>, clock: Pick<Clock, 'pause'>) {
    this.#directory = directory;
    this.#clock = clock;
  }

  /** `end` is called once if the credential is revoked. Call the returned function when the access is over. */
  enter(caller: Caller, end: () => void): () => void {
    const access = { caller, end };
    this.#open.add(access);
    if (!this.#looking) void this.#look();
    return () => void this.#open.delete(access);
  }

  /** Looks while something is open. */
  async #look(): Promise<void> {
    this.#looking = true;
    while (this.#open.size > 0) {
      const before = [...this.#open];
      await this.#clock.pause(LOOK_MILLISECONDS);
      const lasting = before.filter((access) => this.#open.has(access));
      for (const actor of new Set(lasting.map(({ caller }) => caller.actor)))
        await this.#endIfRevoked(lasting.filter(({ caller }) => caller.actor === actor));
    }
    this.#looking = false;
  }

  async #endIfRevoked(accesses: readonly Access[]): Promise<void> {
    const [first] = accesses;
    // While the store is away, nothing is known.
    if (!first || !(await this.#directory.isRevoked(first.caller).catch(() => false))) return;
    for (const access of accesses) if (this.#open.delete(access)) access.end();
  }
}

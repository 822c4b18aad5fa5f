import type { Clock } from '../../clock.ts';
import type { Caller } from '../../domain/credentials/caller.ts';
import type { CredentialDirectory } from './credentialDirectory.ts';

const LOOK_MILLISECONDS = 5_000;

interface Access {
  readonly caller: Caller;
  readonly end: () => void;
}

/** Requests and sessions that are open. They end within some seconds after their credential was revoked, on any node. */
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
    try {
      while (this.#open.size > 0) {
        await this.#clock.pause(LOOK_MILLISECONDS);
        for (const accesses of this.#byCredential().values()) await this.#endIfRevoked(accesses);
      }
    } finally {
      this.#looking = false;
    }
  }

  #byCredential(): Map<string, Access[]> {
    const found = new Map<string, Access[]>();
    for (const access of this.#open) {
      const { actor } = access.caller;
      const accesses = found.get(actor);
      if (accesses) accesses.push(access);
      // Tokens of an outside issuer have no credential here.
      else if (!actor.startsWith('jwt:')) found.set(actor, [access]);
    }
    return found;
  }

  async #endIfRevoked(accesses: readonly Access[]): Promise<void> {
    const [first] = accesses;
    // While the store is away, nothing is known.
    if (!first || !(await this.#directory.isRevoked(first.caller).catch(() => false))) return;
    for (const access of accesses) if (this.#open.delete(access)) access.end();
  }
}

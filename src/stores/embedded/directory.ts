import { close, open, sync } from './files.ts';

/** A directory whose entries must be durable. One sync serves all callers that asked before it began. */
export class SyncedDirectory {
  readonly #path: string;
  #fd: Promise<number> | null = null;
  #running: Promise<void> | null = null;
  #next: Promise<void> | null = null;

  constructor(path: string) {
    this.#path = path;
  }

  /** Resolves when every entry made before the call is on disk. */
  sync(): Promise<void> {
    if (!this.#running) return this.#start();
    this.#next ??= this.#running
      .catch(() => undefined)
      .then(() => {
        this.#next = null;
        return this.#start();
      });
    return this.#next;
  }

  /** Call it only when no sync is running. */
  async close(): Promise<void> {
    const opened = this.#fd;
    this.#fd = null;
    if (opened) await close(await opened);
  }

  #start(): Promise<void> {
    const run = this.#syncNow().finally(() => {
      if (this.#running === run) this.#running = null;
    });
    this.#running = run;
    return run;
  }

  async #syncNow(): Promise<void> {
    this.#fd ??= open(this.#path, 'r').catch((error: unknown) => {
      this.#fd = null;
      throw error;
    });
    await sync(await this.#fd);
  }
}

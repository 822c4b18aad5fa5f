declare module 'mongodb/lib/cmap/connection.js' {
  import type { Duplex } from 'node:stream';

  /** The driver's connection to a server. Internal: only the members that `endedConnections.ts` and its test need. */
  export class Connection {
    constructor(socket: Duplex, options: object);
    readonly closed: boolean;
    readonly socket: Duplex;
    /** Destroys the socket and fails the running command, unless it waits for `drain`. */
    cleanup(error: Error): void;
    writeCommand(command: { toBin(): Promise<readonly Uint8Array[]> }, options: { readonly agreedCompressor: string }): Promise<void>;
  }
}

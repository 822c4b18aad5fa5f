import { join } from 'node:path';
import { Tributary, TributaryError } from '#client';
import type { Clock } from '../../clock.ts';
import { type Config, readConfig } from '../../config.ts';
import { isJsonObject, type Json } from '../../json.ts';
import type { RunningPlatform } from '../../main.ts';
import { callControlSocket } from '../controlSocket.ts';
import { textOf } from '../operation.ts';
import { silent } from '../progress.ts';
import { WrongUse } from './wrongUse.ts';

/** A server, and whose streams are made there. */
export interface Server {
  readonly tributary: Tributary;
  readonly subject: string;
}

export interface ConnectionOptions {
  /** URL and API key of a server; `null`: the server of this machine, or one in this process. */
  readonly remote: { readonly url: string; readonly key: string } | null;
  /** Milliseconds to wait for a server of this machine before a platform is started in this process: the server may be restarting. */
  readonly grace: number;
  readonly clock: Clock;
  /** Called before a platform is started in this process for the first time. */
  readonly onStarting: (dataDir: string) => void;
}

type Operate = (operation: string, input: Json) => Promise<Json>;

/** The key of a local server, and how it is given back. */
interface LocalKey {
  readonly id: string;
  readonly operate: Operate;
}

/**
 * The connection to the server that `--server` names, to the one that runs on the data directory, or to a platform that is started in this process. `close`
 * stops that platform.
 */
export class Connection {
  readonly #options: ConnectionOptions;
  #server: Promise<Server> | null = null;
  #platform: RunningPlatform | null = null;
  /** Of the server that was found: when it stops, it is waited for. A platform in this process would keep it from starting again. */
  #operate: Operate | null = null;
  #key: LocalKey | null = null;
  #isAnnounced = false;

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  /** Rejects if no server can be reached. */
  server(): Promise<Server> {
    this.#server ??= this.#connect();
    return this.#server;
  }

  /** Forgets the connection after a failure: the server may run at another address, or want another key. */
  lost(): void {
    this.#server = null;
  }

  /** Whether a failure may be over soon: no connection, a server that is just starting or says so, or a key of this machine that has expired. */
  isPassing(error: unknown): boolean {
    if (this.isRestarting(error) || isConnectionFailure(error)) return true;
    if (!(error instanceof TributaryError)) return false;
    return error.retryAfter !== null || PASSING.includes(error.status) || (error.status === 401 && this.#options.remote === null);
  }

  /** Whether the server of this machine is starting or stopping. */
  isRestarting(error: unknown): boolean {
    return error instanceof ServerGone || isInUse(error);
  }

  async close(): Promise<void> {
    const { id, operate } = this.#key ?? {};
    // A key that cannot be given back expires after a day.
    if (id !== undefined) await operate?.('credentials revoke', { id }).catch(() => undefined);
    await this.#platform?.stop();
  }

  async #connect(): Promise<Server> {
    const { remote } = this.#options;
    try {
      const { url, key } = remote ?? (await this.#local());
      const tributary = new Tributary({ url, credential: { apiKey: key } });
      const { data } = await tributary.http.GET('/credential-service/api/v1/credentials/self');
      if (!data) throw new Error(`${url} answers, but not as Tributary does.`);
      return { tributary, subject: data.subject };
    } catch (error) {
      this.lost();
      if (remote && error instanceof TributaryError && error.status === 401)
        throw new WrongUse(`${remote.url} does not accept this API key.`);
      throw error;
    }
  }

  async #local(): Promise<{ url: string; key: string }> {
    const config = readConfig(process.env);
    if (config.eventstoreUrl !== null)
      throw new WrongUse('In the cluster form, name a server and an API key: --server and --key, or TRIBUTARY_URL and TRIBUTARY_API_KEY.');
    this.#operate ??= await this.#reach(config);
    const operate = this.#operate;
    const made = await operate('terminal key', {});
    const answer = isJsonObject(made) ? made : {};
    this.#key = { id: textOf(answer, 'id'), operate };
    // Of another command that transcribes in its own process.
    if (answer.isTemporary === true && !this.#platform) this.#operate = null;
    const url = textOf(answer, 'url');
    if (url === '') throw new ServerGone('The server of this machine is starting.');
    return { url, key: textOf(answer, 'apiKey') };
  }

  /** The server on the data directory, or a platform in this process. */
  async #reach(config: Config): Promise<Operate> {
    const { clock, grace, onStarting } = this.#options;
    const socket = join(config.dataDir, 'control.sock');
    for (const until = clock.monotonic() + grace; ; await clock.pause(LOOK_MILLISECONDS)) {
      if (await asked(socket, 'projections status', {})) return operateAt(socket);
      if (clock.monotonic() >= until) break;
    }
    if (!this.#isAnnounced) onStarting(config.dataDir);
    this.#isAnnounced = true;
    const { startInThisProcess } = await import('./startInThisProcess.ts');
    this.#platform = await startInThisProcess(config);
    return operateIn(this.#platform);
  }
}

const LOOK_MILLISECONDS = 500;

const operateAt =
  (socket: string): Operate =>
  async (operation, input) => {
    const answer = await asked(socket, operation, input);
    if (answer === null) throw new ServerGone('The server of this machine has stopped.');
    return answer.result;
  };

/** A server that is starting or stopping may end in the middle of an answer, or have its stores closed. */
const asked = async (socket: string, operation: string, input: Json): Promise<{ result: Json } | null> => {
  try {
    return await callControlSocket(socket, operation, input, silent);
  } catch (error) {
    throw new ServerGone(error instanceof Error ? error.message : String(error));
  }
};

const operateIn =
  ({ operate }: RunningPlatform): Operate =>
  (operation, input) =>
    operate(operation, input, silent);

/** The server of this machine does not listen now. */
class ServerGone extends Error {}

/** `fetch` rejects with a TypeError whose cause is the failure of the connection. */
const isConnectionFailure = (error: unknown): boolean => error instanceof TypeError && error.cause !== undefined;

/** Told by its name: the client of a server loads no stores. */
const isInUse = (error: unknown): boolean => error instanceof Error && error.name === 'DataDirectoryInUse';

const PASSING: readonly number[] = [408, 425, 429, 500, 502, 503, 504];

/** Milliseconds that the server asks to wait. */
export const pauseAfter = (error: unknown): number => (error instanceof TributaryError ? (error.retryAfter ?? 0) : 0);

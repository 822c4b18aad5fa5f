import type { IncomingMessage } from 'node:http';
import { forbidden } from '../errors/errors.ts';

const NAME = 'tributary-session';
/** Pages of other origins cannot send it unless CORS allows it, which it never does. */
const HEADER = 'x-requested-with';
const READS: readonly (string | undefined)[] = ['GET', 'HEAD', 'OPTIONS'];

/** The cookies of the dashboard, which only the server reads. On https only this host can set them (`__Host-`). */
export class SessionCookie {
  readonly #publicUrl: () => string;

  constructor(publicUrl: () => string) {
    this.#publicUrl = publicUrl;
  }

  /** `Set-Cookie` of a session. It lasts until the browser ends. */
  start(token: string): string {
    return this.write(NAME, token);
  }

  end(): string {
    return this.write(NAME, '', 0);
  }

  /** The token of the session of a request; `null` without one. */
  tokenOf(incoming: IncomingMessage): string | null {
    return this.read(incoming, NAME);
  }

  read({ headers }: IncomingMessage, name: string): string | null {
    const begin = `${this.#nameOf(name)}=`;
    const found = headers.cookie?.split(/; */).find((pair) => pair.startsWith(begin));
    return found?.slice(begin.length) || null;
  }

  /** `seconds`: default until the browser ends. */
  write(name: string, value: string, seconds?: number): string {
    const flags = ['Path=/', 'HttpOnly', 'SameSite=Lax', ...(this.#isHttps() ? ['Secure'] : [])];
    return [`${this.#nameOf(name)}=${value}`, ...flags, ...(seconds === undefined ? [] : [`Max-Age=${seconds}`])].join('; ');
  }

  /** Throws 403 unless a change comes from a page of this server. A WebSocket counts as a change; browsers cannot set headers on it. */
  checkOrigin(incoming: IncomingMessage): void {
    const { method, headers } = incoming;
    const isSocket = method === 'GET' && headers.upgrade !== undefined;
    if (READS.includes(method) && !isSocket) return;
    if (this.#isOwnOrigin(incoming) && (isSocket || headers[HEADER] !== undefined)) return;
    throw forbidden(
      'A session may change something only from a page of this server, with the header X-Requested-With. Programs need an API key.',
    );
  }

  #isOwnOrigin({ headers }: IncomingMessage): boolean {
    const site = headers['sec-fetch-site'];
    if (site !== undefined) return site === 'same-origin';
    const { origin = '', host } = headers;
    if (!URL.canParse(origin)) return false;
    return new URL(origin).host === host || origin === new URL(this.#publicUrl()).origin;
  }

  #nameOf(name: string): string {
    return this.#isHttps() ? `__Host-${name}` : name;
  }

  #isHttps(): boolean {
    return this.#publicUrl().startsWith('https:');
  }
}

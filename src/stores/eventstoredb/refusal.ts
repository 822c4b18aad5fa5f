import { isIP } from 'node:net';
import { connect } from 'node:tls';
import type { Clock } from '../../clock.ts';
import { type Away, Denied } from './away.ts';
import type { ServerAddress } from './connectionString.ts';
import { askOverHttp } from './httpQuestion.ts';

/** The event store cannot be used with this `EVENTSTORE_URL`. The message says what to change, and contains no secret. */
export class ConnectionStringRefused extends Error {
  constructor(reason: string) {
    super(`EVENTSTORE_URL: ${reason}`);
    this.name = 'ConnectionStringRefused';
  }
}

/** A server that has just started refuses its users for some seconds. */
const REFUSED_MILLISECONDS = 30_000;
const HANDSHAKE_MILLISECONDS = 1_000;

/** Decides whether a failure at the start may be temporary. gRPC answers are too coarse for that, so the servers are asked in other ways. */
export class RefusalFinder {
  readonly #address: ServerAddress;
  readonly #clock: Clock;
  #deniedSince: number | null = null;

  constructor(address: ServerAddress, clock: Clock) {
    this.#address = address;
    this.#clock = clock;
  }

  /** The reason why waiting is useless; `null` if the failure may be temporary. */
  async find(failure: Away): Promise<ConnectionStringRefused | null> {
    const reason = failure instanceof Denied ? await this.#denied() : await this.#notConnected();
    if (!(failure instanceof Denied)) this.#deniedSince = null;
    return reason === null ? null : new ConnectionStringRefused(reason);
  }

  async #denied(): Promise<string | null> {
    const now = this.#clock.monotonic();
    this.#deniedSince ??= now;
    if (now - this.#deniedSince < REFUSED_MILLISECONDS) return null;
    const { credentials } = this.#address;
    if (credentials === null)
      return 'it holds no user, and the event store serves no one without. Use the form esdb://user:password@host:2113?option=value';
    const status = await this.#firstStatus();
    const user = JSON.stringify(credentials.user);
    if (status === 401) return `the event store refuses the password of the user ${user}. Correct the user and password`;
    // No server has loaded its users yet, or none answers over HTTP: that may be temporary.
    if (status === null) return null;
    return `the user ${user} may not read the whole log ($all). Give it the rights of docs/operations.md, "Rights in EventStoreDB", or add it to the group $admins`;
  }

  async #firstStatus(): Promise<number | null> {
    for (const host of this.#address.hosts) {
      const answer = await askOverHttp(this.#address, host, '/info', this.#clock);
      // 503: the server has not loaded its users yet.
      if (answer !== null && answer.status !== 503) return answer.status;
    }
    return null;
  }

  /** Some servers accept connections, but none speaks the protocol. */
  async #notConnected(): Promise<string | null> {
    const outcomes = await Promise.all(this.#address.hosts.map((host) => this.#handshake(host)));
    const reached = outcomes.filter((outcome) => outcome !== 'unknown');
    const reasons = reached.filter((outcome) => outcome !== 'fine');
    return reasons.length > 0 && reasons.length === reached.length ? (reasons[0] ?? null) : null;
  }

  /** Result of a separate TLS handshake: `fine`, `unknown` (away, silent), or a sentence on the mismatch. */
  #handshake(address: string): Promise<string> {
    const [host = '', port = ''] = address.split(':');
    const { tls } = this.#address;
    const certificates = { ...(tls?.ca && { ca: tls.ca }), ...(tls?.cert && { cert: tls.cert }), ...(tls?.key && { key: tls.key }) };
    const options = { host, port: Number(port), ALPNProtocols: ['h2'], rejectUnauthorized: tls !== null, ...certificates };
    return new Promise((resolve) => {
      // RFC 6066 allows names only, no addresses.
      const socket = connect({ ...options, ...(isIP(host) === 0 && { servername: host }) });
      const answered = new AbortController();
      const end = (outcome: string) => {
        answered.abort();
        socket.destroy();
        resolve(outcome);
      };
      socket.once('secureConnect', () => end(tls === null ? `${address} expects TLS. Remove tls=false` : 'fine'));
      socket.once('error', (error: NodeJS.ErrnoException) => end(tls === null ? 'unknown' : tlsProblem(address, error)));
      void this.#clock.pause(HANDSHAKE_MILLISECONDS, answered.signal).then((pause) => pause === 'elapsed' && end('unknown'));
    });
  }
}

const UNTRUSTED = new Set([
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'CERT_SIGNATURE_FAILURE',
  'CERT_UNTRUSTED',
]);

const tlsProblem = (address: string, { code = '', message }: NodeJS.ErrnoException): string => {
  if (UNTRUSTED.has(code))
    return `the certificate of ${address} was not signed by a known authority (${code}). Name the file of its authority with tlsCAFile`;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `the certificate of ${address} is for another host. Use the host name that the certificate holds`;
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID')
    return `the certificate of ${address} is not valid now (${code}). Renew it`;
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER' || /wrong version number/i.test(message))
    return `${address} does not use TLS. Set up TLS at the event store, or add tls=false`;
  return 'unknown';
};

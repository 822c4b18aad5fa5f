import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { connect } from 'node:tls';
import type { Clock } from '../../clock.ts';
import { finalRefusal, type Outcome, type ServerRefusal } from '../serverRefusal.ts';
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

/** How long a refusal may come from a server that has just started: it refuses its users for some seconds. */
const REFUSED_MILLISECONDS = 30_000;
/** How long the start waits for a server that refuses the user, if no server says over HTTP why. */
const UNEXPLAINED_MILLISECONDS = 60_000;
const HANDSHAKE_MILLISECONDS = 1_000;

/** One place of a node: a name may stand for several addresses. */
interface Place {
  readonly host: string;
  readonly port: number;
  /** The name that its certificate must hold. */
  readonly name: string;
}

/** Decides whether a failure at the start may be temporary. gRPC answers are too coarse for that, so the servers are asked in other ways. */
export class RefusalFinder {
  readonly #address: ServerAddress;
  readonly #clock: Clock;
  readonly #members: () => readonly string[];
  #deniedSince: number | null = null;

  /** `members`: `host:port` of a cluster's nodes as they name each other, which is where they are used. Empty before one has answered. */
  constructor(address: ServerAddress, clock: Clock, members: () => readonly string[]) {
    this.#address = address;
    this.#clock = clock;
    this.#members = members;
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
    if (status === 'starting') return null;
    if (status === null && now - this.#deniedSince < UNEXPLAINED_MILLISECONDS) return null;
    if (status === null)
      return `the event store refuses the user ${user}, and does not say over HTTP whether for its password or its rights. Check the password, and give the user the rights of docs/operations-cluster.md, "Rights in EventStoreDB"`;
    return `the user ${user} may not read the whole log ($all). Give it the rights of docs/operations-cluster.md, "Rights in EventStoreDB", or add it to the group $admins`;
  }

  /** `starting`: a server has not loaded its users yet, and no other answers. `null`: none answers over HTTP. */
  async #firstStatus(): Promise<number | 'starting' | null> {
    let found: 'starting' | null = null;
    for (const host of this.#address.hosts) {
      const answer = await askOverHttp(this.#address, host, '/info', this.#clock);
      if (answer !== null && answer.status !== 503) return answer.status;
      if (answer !== null) found = 'starting';
    }
    return found;
  }

  /**
   * No reachable node can be used. While a node is away, only a mismatch of the settings counts: the certificate of the reachable node may be the only bad one.
   */
  async #notConnected(): Promise<string | null> {
    const members = this.#members();
    const places = (await Promise.all((members.length > 0 ? members : this.#address.hosts).map(placesOf))).flat();
    const outcomes = await Promise.all(places.map((place) => this.#handshake(place)));
    return finalRefusal(outcomes);
  }

  /** Result of a separate TLS handshake. */
  #handshake({ host, port, name }: Place): Promise<Outcome> {
    const address = `${name}:${port}`;
    const { tls } = this.#address;
    const options = { host, port, ALPNProtocols: ['h2'], rejectUnauthorized: tls !== null, ...tls };
    return new Promise((resolve) => {
      // RFC 6066 allows names only, no addresses.
      const socket = connect({ ...options, ...(isIP(name) === 0 && { servername: name }) });
      const answered = new AbortController();
      const end = (outcome: Outcome) => {
        answered.abort();
        socket.destroy();
        resolve(outcome);
      };
      const expectsTls: ServerRefusal = { sentence: `${address} expects TLS. Remove tls=false`, ofAll: true };
      socket.once('secureConnect', () => end(tls === null ? expectsTls : 'fine'));
      socket.once('error', (error: NodeJS.ErrnoException) => end(tls === null ? 'away' : tlsProblem(address, error)));
      void this.#clock.pause(HANDSHAKE_MILLISECONDS, answered.signal).then((pause) => pause === 'elapsed' && end('away'));
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

/** All addresses that a name stands for, as those of a discovery name do. */
const placesOf = async (address: string): Promise<Place[]> => {
  const [name = '', port = ''] = address.split(':');
  const found = await lookup(name, { all: true, family: 4 }).catch(() => []);
  const hosts = found.length > 0 ? found.map(({ address: host }) => host) : [name];
  return hosts.map((host) => ({ host, port: Number(port), name }));
};

const tlsProblem = (address: string, error: NodeJS.ErrnoException): Outcome => {
  const ofOne = certificateProblem(address, error);
  if (ofOne !== null) return { sentence: ofOne, ofAll: false };
  if (error.code === 'ERR_SSL_WRONG_VERSION_NUMBER' || /wrong version number/i.test(error.message))
    return { sentence: `${address} does not use TLS. Set up TLS at the event store, or add tls=false`, ofAll: true };
  return 'away';
};

const certificateProblem = (address: string, { code = '' }: NodeJS.ErrnoException): string | null => {
  if (UNTRUSTED.has(code))
    return `the certificate of ${address} was not signed by a known authority (${code}). Name the file of its authority with tlsCAFile`;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `the certificate of ${address} is for another host. Use a host name that the certificate holds; the nodes of a cluster must name themselves by one too`;
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID')
    return `the certificate of ${address} is not valid now (${code}). Renew it`;
  return null;
};

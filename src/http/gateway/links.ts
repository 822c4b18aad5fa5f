import { Readable } from 'node:stream';
import { Agent, type Dispatcher } from 'undici';
import { AddressRefused, type ConnectionGuard, guardedConnect, judgedAddresses } from '../../addressGuard/connect.ts';
import { NameNotResolved } from '../../addressGuard/resolve.ts';
import { judgeUrl } from '../../addressGuard/url.ts';
import type { FailureCause } from '../../domain/stream/failureCauses.ts';
import { BrokenOff } from '../../stores/pump.ts';
import { boundedRequest } from '../../supervision/boundedRequest.ts';
import { USER_AGENT } from '../../userAgent.ts';
import { badRequest } from '../errors/errors.ts';

/** Why a link could not be fetched, in words for its stream's owner. */
export class LinkFailed extends Error {
  constructor(
    reason: string,
    readonly failureCause: Extract<FailureCause, 'LINK_FAILED' | 'TOO_LARGE'> = 'LINK_FAILED',
  ) {
    super(reason);
    this.name = 'LinkFailed';
  }
}

export interface LinksDeps {
  readonly guard: ConnectionGuard;
  readonly maxBytes: number;
  readonly userAgent?: string;
  /** Default 60,000. */
  readonly silenceMilliseconds?: number;
}

const MAX_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const REFUSED = 'The link points to an address that is not allowed.';
const TIMED_OUT: ReadonlySet<unknown> = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'UND_ERR_CONNECT_TIMEOUT']);

/** Fetches callers' links, through the address guard. */
export class Links {
  readonly #guard: ConnectionGuard;
  readonly #maxBytes: number;
  readonly #agent: Agent;
  readonly #headers: Readonly<Record<string, string>>;

  constructor({ guard, maxBytes, userAgent = USER_AGENT, silenceMilliseconds = 60_000 }: LinksDeps) {
    this.#guard = guard;
    this.#maxBytes = maxBytes;
    this.#headers = { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': userAgent };
    this.#agent = new Agent({
      connect: guardedConnect(guard),
      headersTimeout: silenceMilliseconds,
      bodyTimeout: silenceMilliseconds,
      keepAliveTimeout: 1_000,
    });
  }

  /** The URL's `href`. Throws 400, always with the same message, for a link that is not allowed or whose name resolves to an internal address now. */
  async judge(text: string): Promise<string> {
    const judged = await judgeUrl(text, this.#guard);
    if (!judged) throw refusedLink();
    try {
      await judgedAddresses(hostOf(judged), this.#guard);
    } catch (error) {
      // A name without an address fails when it is fetched, and its stream shows that.
      if (error instanceof AddressRefused) throw refusedLink();
    }
    return judged.href;
  }

  /** The bytes of an accepted URL, fetched when read. Fails with `LinkFailed`, or with `BrokenOff` if `signal` aborts. */
  open(href: string, signal: AbortSignal): Readable {
    return Readable.from(this.#bytes(href, signal), { objectMode: false });
  }

  async *#bytes(href: string, signal: AbortSignal): AsyncGenerator<Uint8Array, void, undefined> {
    const body = await this.#answer(href, signal).catch((error: unknown) => {
      throw failureOf(error, signal, 'The link could not be fetched. The connection failed.');
    });
    let size = 0;
    try {
      for await (const chunk of body) {
        size += chunk.length;
        if (size > this.#maxBytes) throw this.#tooLarge();
        yield chunk;
      }
    } catch (error) {
      throw failureOf(error, signal, 'The download from the link broke off before its end.');
    } finally {
      body.destroy();
    }
    if (size === 0) throw new LinkFailed('The link returned no data.');
  }

  /** Follows redirects to the answer with the bytes. */
  async #answer(href: string, signal: AbortSignal): Promise<Dispatcher.ResponseData['body']> {
    let url = href;
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      const { statusCode, headers, body } = await boundedRequest(url, { dispatcher: this.#agent, signal, headers: this.#headers });
      // Destroying a body emits an error, which is ignored.
      body.on('error', () => {});
      const next = REDIRECTS.has(statusCode) ? headers.location : undefined;
      const failure = next === undefined ? this.#failureOf(statusCode, headers) : null;
      if (next === undefined && !failure) return body;
      body.destroy();
      if (failure) throw failure;
      url = await this.#redirected(String(next), url);
    }
    throw new LinkFailed(`The link was redirected more than ${MAX_REDIRECTS} times.`);
  }

  async #redirected(location: string, from: string): Promise<string> {
    if (!URL.canParse(location, from)) throw new LinkFailed('The link was redirected to an invalid URL.');
    const judged = await judgeUrl(new URL(location, from).href, this.#guard);
    if (!judged) throw new AddressRefused();
    return judged.href;
  }

  #failureOf(statusCode: number, headers: Dispatcher.ResponseData['headers']): LinkFailed | null {
    if (statusCode < 200 || statusCode > 299) return new LinkFailed(`The link answered with status ${statusCode}.`);
    if (!['', 'identity'].includes(String(headers['content-encoding'] ?? '').toLowerCase()))
      return new LinkFailed('The link answered with a content encoding. Only unencoded bytes are accepted.');
    return Number(headers['content-length'] ?? 0) > this.#maxBytes ? this.#tooLarge() : null;
  }

  #tooLarge(): LinkFailed {
    return new LinkFailed(`The data behind the link exceed ${this.#maxBytes} bytes.`, 'TOO_LARGE');
  }
}

const refusedLink = () => badRequest('This link is not allowed. It must use http or https and must not point to a local address.');

const hostOf = ({ hostname }: URL): string => (hostname.startsWith('[') ? hostname.slice(1, -1) : hostname);

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined);

const failureOf = (error: unknown, signal: AbortSignal, otherwise: string): Error => {
  if (signal.aborted) return new BrokenOff();
  if (error instanceof LinkFailed) return error;
  if (error instanceof AddressRefused) return new LinkFailed(REFUSED);
  if (error instanceof NameNotResolved) return new LinkFailed('The link could not be fetched. Its host name has no address.');
  return new LinkFailed(TIMED_OUT.has(codeOf(error)) ? 'The link sent no data for too long.' : otherwise);
};

import type { IncomingMessage } from 'node:http';
import { isJsonObject, type JsonObject } from '../../json.ts';
import { USER_AGENT } from '../../userAgent.ts';
import { CREDENTIAL_PARAMETERS } from '../input/parameters.ts';
import type { ApiRequest } from '../route/route.ts';

/** What the API refused, in its own words. */
export class Refused extends Error {}

export interface OwnCall {
  readonly method?: 'POST';
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly json?: JsonObject;
  /** A plain body. */
  readonly text?: string;
  /** Default: no limit but those of the API. */
  readonly seconds?: number;
}

/**
 * This server's own HTTP interface, called with the credential of a request. So every check, limit and wait for read models is that of the interface.
 */
export class OwnApi {
  readonly #request: ApiRequest;

  constructor(request: ApiRequest) {
    this.#request = request;
  }

  /** Rejects with `Refused`, or with a `TimeoutError` after `seconds`. */
  async json(path: string, call: OwnCall = {}): Promise<JsonObject> {
    const answer: unknown = JSON.parse((await this.text(path, call)) || '{}');
    if (!isJsonObject(answer)) throw new Error(`${path} answered no object`);
    return answer;
  }

  /** As `json`. Empty without content. */
  async text(path: string, { method, query = {}, json, text, seconds }: OwnCall = {}): Promise<string> {
    const { incoming, rawQuery, signal, correlationId } = this.#request;
    const url = new URL(path, originOf(incoming));
    for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, String(value));
    for (const name of CREDENTIAL_PARAMETERS) for (const value of rawQuery.valuesOf(name)) url.searchParams.append(name, value ?? '');
    const response = await fetch(url, {
      method: method ?? 'GET',
      headers: {
        ...credentialOf(incoming),
        'x-correlation-id': correlationId,
        'user-agent': USER_AGENT,
        ...(json && { 'content-type': 'application/json' }),
        ...(text !== undefined && { 'content-type': 'application/octet-stream' }),
      },
      body: json ? JSON.stringify(json) : (text ?? null),
      signal: seconds === undefined ? signal : AbortSignal.any([signal, AbortSignal.timeout(seconds * 1_000)]),
    });
    const body = await response.text();
    if (!response.ok) throw new Refused(messageOf(body));
    return body;
  }
}

/** The address on which the request itself arrived. */
const originOf = ({ socket: { localAddress = '', localPort } }: IncomingMessage): string =>
  `http://${localAddress.includes(':') ? `[${localAddress}]` : localAddress}:${localPort}`;

const credentialOf = ({ headers }: IncomingMessage): Record<string, string> => {
  const given = ['authorization', 'x-client-id', 'x-client-secret'].map((name) => [name, headers[name]] as const);
  return Object.fromEntries(given.flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])));
};

/** Of an error of the API: its message, and those of the members that it names. */
const messageOf = (body: string): string => {
  const error: unknown = JSON.parse(body);
  if (!isJsonObject(error)) return body;
  const nested = Array.isArray(error.nestedErrors) ? error.nestedErrors : [];
  const messages = [error, ...nested].flatMap((one) => (isJsonObject(one) && typeof one.message === 'string' ? one.message : []));
  return [...new Set(messages)].join(' ');
};

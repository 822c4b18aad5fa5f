import { jsonObjectIn, memberOf } from '../../json.ts';
import { parseRetryAfter } from '../../supervision/retryAfter.ts';
import { EngineAway, ProcessorError } from '../processor.ts';
import { type EngineAnswer, type Headers, headerOf } from './answer.ts';
import type { EngineServerSettings } from './engineServer.ts';

/** Longest `Retry-After` that is honoured. */
const LONGEST_WAIT = 60_000;
const EXCERPT = 200;

const AWAY: ReadonlySet<number> = new Set([408, 409, 425, 429]);

/** Statuses that mean the request itself is wrong. */
export class RequestRefused extends ProcessorError {
  constructor(
    errorName: ProcessorError['errorName'],
    message: string,
    readonly status: number,
  ) {
    super(errorName, message);
  }
}

type Refused = Pick<EngineServerSettings, 'title' | 'errorName' | 'keySetting' | 'apiKey' | 'address' | 'clock'>;

/** Maps an unsuccessful or incomplete answer to the failure of the run. */
export const refusalOf = (status: number, answer: EngineAnswer, headers: Headers, engine: Refused): ProcessorError => {
  const { title, errorName, keySetting } = engine;
  const failed = (message: string) => new ProcessorError(errorName, `${title} ${message}`);
  // The server's text is not shown: some servers repeat the key in it.
  if (status === 401 || status === 403) return failed(`refused this server's key (${status}): see ${keySetting}.`);
  if (status >= 200 && status < 300) return failed('sent an answer without end.');
  if (status >= 300 && status < 400) return failed(`is somewhere else (${status}): redirects are not followed.`);
  const wait = Math.min(parseRetryAfter(headerOf(headers, 'retry-after'), engine.clock.now()) ?? 0, LONGEST_WAIT);
  const away = (message: string) => new EngineAway(errorName, `${title} ${message}`, shownAddress(engine.address), wait);
  if (status === 429) return away('has too much to do (429).');
  if (status >= 500 || AWAY.has(status)) return away(`failed (${status}).`);
  const said = excerptOf(answer.text, engine);
  const reason = said === '' ? '.' : `: ${said}`;
  return new RequestRefused(errorName, `${title} refused the request (${status})${reason}`, status);
};

/** Without user information and query, which may contain secrets. */
export const shownAddress = ({ origin, pathname }: URL): string => origin + pathname;

/** A short excerpt of the server's message in plain text, without its address and the key. */
const excerptOf = (text: string, { apiKey, address }: Refused): string => {
  const hidden = [apiKey, address.host, address.hostname].filter((secret) => secret !== null && secret.length > 2);
  const plain = hidden.reduce<string>((said, secret) => said.replaceAll(secret ?? '', '***'), messageIn(text));
  const oneLine = plain
    .replace(/\bsk-[\w*-]+/g, '***')
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim();
  return oneLine.length > EXCERPT ? `${oneLine.slice(0, EXCERPT)}...` : oneLine;
};

/** The message of `{error: {message}}`, `{error: "..."}`, `{message}` or `{detail}`. Other answers, such as pages of proxies, have no message. */
const messageIn = (text: string): string => {
  const body = jsonObjectIn(text);
  const error = memberOf(body, 'error');
  const said = [memberOf(error, 'message'), error, memberOf(body, 'message'), memberOf(body, 'detail')];
  return said.find((one) => typeof one === 'string') ?? '';
};

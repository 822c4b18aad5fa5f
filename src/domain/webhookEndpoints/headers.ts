import { Problem } from '../problem.ts';

/** Headers of an endpoint's own, sent with every attempt. Values are secret: they are shown as `HIDDEN`. */
export type Headers = Readonly<Record<string, string>>;

/** Stands for a value. In a request it keeps the value that is there. */
const HIDDEN = '***';
export const MAX_HEADERS = 20;
export const MAX_HEADER_VALUE = 1_024;

/** The platform sets these itself, or they describe the connection. `keep-alive` cannot be sent. */
const RESERVED = /^(host|user-agent|content-.*|webhook-.*|connection|keep-alive|expect|upgrade|te|trailer|proxy-.*|transfer-encoding)$/i;

const refusal = (message: string): Problem => new Problem('WEBHOOK_CONFIGURATION_ERROR', message);

const checkName = (name: string): void => {
  if (!/^[A-Za-z0-9-]+$/.test(name))
    throw refusal(`${JSON.stringify(name.slice(0, 100))} is not a name of a header. Use letters, digits and hyphens.`);
  if (RESERVED.test(name)) throw refusal(`The header ${name.slice(0, 100)} is set by the server. Use another name.`);
};

const checkValue = (name: string, value: string): void => {
  if (!/^[\x20-\x7e]+$/.test(value)) throw refusal(`The value of the header ${name} must be printable ASCII.`);
};

/**
 * The headers that a caller wants, with the values that are kept. Throws WEBHOOK_CONFIGURATION_ERROR for a name or value that cannot be sent, for a name
 * given twice, and for a hidden value that there is none to keep for.
 */
export const wantedHeaders = (given: Headers, before: Headers): Headers => {
  const known = new Map(Object.entries(before).map(([name, value]) => [name.toLowerCase(), value]));
  const seen = new Set<string>();
  const wanted = Object.entries(given).map(([name, value]) => {
    checkName(name);
    checkValue(name, value);
    const key = name.toLowerCase();
    if (seen.has(key)) throw refusal(`The header ${name} is given twice. Names are compared without case.`);
    seen.add(key);
    const kept = value === HIDDEN ? known.get(key) : value;
    if (kept === undefined) throw refusal(`The header ${name} has no value that ${HIDDEN} could keep. Send its value.`);
    return [name, kept];
  });
  return Object.fromEntries(wanted);
};

export const hiddenHeaders = (headers: Readonly<Record<string, string | null>>): Record<string, string> =>
  Object.fromEntries(Object.keys(headers).map((name) => [name, HIDDEN]));

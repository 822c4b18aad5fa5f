import { type ChildLoggerOptions, destination, type LevelWithSilent, type Logger as PinoLogger, pino, stdSerializers } from 'pino';

// Members that may contain a secret, at the top of a line and one level below. No intended log field has such a name.
const SECRET_MEMBERS = new Set([
  'authorization',
  'accessToken',
  'access_token',
  'apiKey',
  'clientSecret',
  'client_secret',
  'cookie',
  'masterKey',
  'password',
  'privateKey',
  'secret',
  'token',
]);

export interface LoggingOptions {
  readonly level: LevelWithSilent;
  /** Default: stderr. */
  readonly stream?: NodeJS.WritableStream;
}

type Fields = Record<string, unknown>;

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null;

/** Returns the same object unless it contains a secret. Pino's own `redact` costs more than the rest of a line. */
const withoutSecrets = (fields: Fields, deeper: (value: unknown) => unknown): Fields => {
  let copy: Fields | null = null;
  for (const name of Object.keys(fields)) {
    const value = fields[name];
    const shown = SECRET_MEMBERS.has(name) ? '[redacted]' : deeper(value);
    if (shown === value) continue;
    copy ??= { ...fields };
    copy[name] = shown;
  }
  return copy ?? fields;
};

const shallow = (fields: Fields): Fields => withoutSecrets(fields, (value) => value);

/** Converts an error to a plain object with message and stack, and redacts its other members. */
const inner = (value: unknown): unknown => {
  if (value instanceof Error) return shallow({ ...stdSerializers.err(value) });
  return isObject(value) ? shallow(value) : value;
};

/** JSON lines on stderr, secrets redacted. Pino's logger satisfies `Logger`. */
export const createLogging = ({ level, stream }: LoggingOptions): PinoLogger => {
  const redacted = (fields: Fields): Fields => withoutSecrets(fields, inner);
  // The value for the serializer of `err` is already plain.
  const options = { level, formatters: { log: redacted }, serializers: { err: (plain: unknown) => plain } };
  const logger = pino(options, stream ?? destination({ fd: 2, sync: false }));
  const { child } = logger;
  return Object.assign(logger, {
    child(this: PinoLogger, fields: Fields, ofChild?: ChildLoggerOptions): PinoLogger {
      return Reflect.apply(child, this, [redacted(fields), ofChild]);
    },
  });
};

import { destination, type LevelWithSilent, type Logger as PinoLogger, pino } from 'pino';

// Members that may hold a secret, at the top of a line and one level below: nothing that is logged on purpose has such a name.
const SECRET_MEMBERS = [
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
];

export interface LoggingOptions {
  readonly level: LevelWithSilent;
  /** Default: stderr. */
  readonly stream?: NodeJS.WritableStream;
}

/** JSON lines on stderr, secrets redacted. Pino's logger serves wherever `Logger` is asked for. */
export const createLogging = ({ level, stream }: LoggingOptions): PinoLogger => {
  const redact = { paths: SECRET_MEMBERS.flatMap((member) => [member, `*.${member}`]), censor: '[redacted]' };
  return pino({ level, redact }, stream ?? destination({ fd: 2, sync: false }));
};

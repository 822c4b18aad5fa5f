import { destination, type Level, type Logger as PinoLogger, pino } from 'pino';

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

/** JSON lines on stderr, secrets redacted. `level` is pino's. Pino's logger serves wherever `Logger` is asked for. */
export const createLogger = (level: Level | 'silent', stream: NodeJS.WritableStream | null = null): PinoLogger => {
  const options = {
    level,
    redact: {
      paths: SECRET_MEMBERS.flatMap((member) => [member, `*.${member}`]),
      censor: '[redacted]',
    },
  };
  return stream ? pino(options, stream) : pino(options, destination({ fd: 2, sync: false }));
};

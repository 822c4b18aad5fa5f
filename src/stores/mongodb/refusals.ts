import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { MongoClient, ServerHeartbeatFailedEvent, ServerHeartbeatSucceededEvent } from 'mongodb';
import { finalRefusal, type Outcome, type ServerRefusal } from '../serverRefusal.ts';

const UNAUTHORIZED = 13;
/** MongoDB's own code, and that of Atlas. */
const AUTHENTICATION_FAILED: ReadonlySet<unknown> = new Set([18, 8_000]);
/** Node.js codes of a handshake that can never succeed with these settings. */
const TLS_FAILURE = /^(?:CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH|INVALID_CA|ERR_TLS_CERT_|ERR_SSL_)/;

/** Why a start that failed with `error` can never succeed, as a sentence that names the setting; `null` if waiting may help. */
export const refusalOf = (error: unknown, { options }: MongoClient): string | null => {
  for (const code of codesOf(error)) {
    if (AUTHENTICATION_FAILED.has(code))
      return 'MongoDB refuses the name and password of MONGODB_URL. Check both, and authSource, the database that holds the user.';
    if (code === UNAUTHORIZED)
      return options.credentials
        ? 'The MongoDB user of MONGODB_URL may not read the database. Grant it the role readWrite on the database of MONGODB_URL.'
        : 'MongoDB asks for credentials. Put a name and password into MONGODB_URL (mongodb://name:password@host/...).';
  }
  return null;
};

/** The codes of an error and of its causes. */
const codesOf = (error: unknown, depth = 0): unknown[] => {
  if (!(error instanceof Error) || depth > 5) return [];
  return ['code' in error ? error.code : undefined, ...codesOf(error.cause, depth + 1)];
};

const certificateRefusal = (error: unknown): ServerRefusal | null => {
  const code = codesOf(error).find((one) => typeof one === 'string' && TLS_FAILURE.test(one));
  if (code === undefined) return null;
  const sentence = `The TLS connection to MongoDB fails (${code}). Name the authority of its certificate with tlsCAFile in MONGODB_URL, use a host that the certificate names, and give tlsCertificateKeyFile if it asks for one.`;
  return { sentence, ofAll: false };
};

/**
 * Why no member of a set can be used: the primary refuses, or all members that answer do. `null` if waiting may help, as it may after a refused
 * certificate while another member is away.
 */
export const judge = (outcomes: ReadonlyMap<string, Outcome>, primary: string | null): string | null => {
  const ofPrimary = primary === null ? undefined : outcomes.get(primary);
  if (typeof ofPrimary === 'object') return ofPrimary.sentence;
  return finalRefusal([...outcomes.values()]);
};

/**
 * Aborts `signal` when the driver's monitors have tried every member and waiting is useless: the driver itself continues to look for a server. If only one
 * side uses TLS, the connection is just closed, so the server is asked which protocol it speaks.
 */
export const watchForRefusals = (client: MongoClient): { readonly signal: AbortSignal; stop(): void } => {
  const refused = new AbortController();
  const outcomes = new Map<string, Outcome>();
  let primary: string | null = null;
  const named = () => client.options.hosts.map((host) => String(host));
  const settle = (address: string, outcome: Outcome): void => {
    outcomes.set(address, outcome);
    if (!named().every((host) => outcomes.has(host))) return;
    const sentence = judge(outcomes, primary);
    if (sentence !== null) refused.abort(new Error(sentence));
  };
  const onFailure = async ({ failure, connectionId }: ServerHeartbeatFailedEvent): Promise<void> => {
    const refusal = certificateRefusal(failure) ?? (await mismatch(connectionId, client.options.tls));
    settle(connectionId, refusal ?? 'away');
  };
  const onSuccess = ({ connectionId, reply }: ServerHeartbeatSucceededEvent): void => {
    if (typeof reply.primary === 'string') primary = reply.primary;
    settle(connectionId, 'fine');
  };
  const onFailed = (event: ServerHeartbeatFailedEvent) => void onFailure(event);
  client.on('serverHeartbeatFailed', onFailed).on('serverHeartbeatSucceeded', onSuccess);
  const stop = () => void client.off('serverHeartbeatFailed', onFailed).off('serverHeartbeatSucceeded', onSuccess);
  return { signal: refused.signal, stop };
};

/** `address`: `host:port`. */
const mismatch = async (address: string, tls: boolean): Promise<ServerRefusal | null> => {
  const end = address.lastIndexOf(':');
  const spoken = await spokenAt(address.slice(0, end).replace(/^\[|\]$/g, ''), Number(address.slice(end + 1)));
  if (spoken === 'tls' && !tls)
    return { sentence: 'MongoDB expects TLS. Add tls=true to MONGODB_URL, and tlsCAFile if its authority is your own.', ofAll: true };
  if (spoken === 'plain' && tls)
    return {
      sentence: 'MongoDB does not speak TLS. Set it up there (--tlsMode requireTLS), or remove tls=true from MONGODB_URL.',
      ofAll: true,
    };
  return null;
};

const PATIENCE_MILLISECONDS = 2_000;
const HEADER_BYTES = 16;
const OP_MSG = 2_013;
const OP_QUERY = 2_004;
const OP_REPLY = 1;

/** Whether a server of MongoDB's protocol speaks TLS or plain text at the address; `null` if neither. Sends no credentials, and never rejects. */
const spokenAt = async (host: string, port: number): Promise<'tls' | 'plain' | null> => {
  if (await answers(connectTls({ host, port, rejectUnauthorized: false }), 'secureConnect')) return 'tls';
  const plain = connectPlain({ host, port });
  plain.once('connect', () => plain.write(helloMessage()));
  return (await answers(plain, 'data', isReply)) ? 'plain' : null;
};

const answers = (socket: Socket, event: string, isAnswer: (data: unknown) => boolean = () => true): Promise<boolean> =>
  new Promise((resolve) => {
    const end = (answer: boolean): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(PATIENCE_MILLISECONDS, () => end(false));
    socket.once(event, (data) => end(isAnswer(data)));
    socket.once('error', () => end(false));
    socket.once('close', () => end(false));
  });

const isReply = (data: unknown): boolean =>
  Buffer.isBuffer(data) && data.length >= HEADER_BYTES && [OP_MSG, OP_REPLY].includes(data.readInt32LE(12));

/** `{ hello: 1 }` in the oldest form: an OP_QUERY on `admin.$cmd`. */
const helloMessage = (): Buffer => {
  const document = Buffer.from('10000000' + '10' + '68656c6c6f00' + '01000000' + '00', 'hex');
  const namespace = Buffer.from('admin.$cmd\0');
  const message = Buffer.alloc(HEADER_BYTES + 4 + namespace.length + 8 + document.length);
  message.writeInt32LE(message.length, 0);
  message.writeInt32LE(1, 4);
  message.writeInt32LE(OP_QUERY, 12);
  namespace.copy(message, HEADER_BYTES + 4);
  // Skip nothing; one document.
  message.writeInt32LE(-1, HEADER_BYTES + 4 + namespace.length + 4);
  document.copy(message, HEADER_BYTES + 4 + namespace.length + 8);
  return message;
};

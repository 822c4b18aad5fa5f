import type { MongoClient, ServerHeartbeatFailedEvent } from 'mongodb';
import { spokenAt } from './spokenAt.ts';

const UNAUTHORIZED = 13;
/** The last one is Atlas's. */
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
    if (typeof code === 'string' && TLS_FAILURE.test(code))
      return `The TLS connection to MongoDB fails (${code}). Name the authority of its certificate with tlsCAFile in MONGODB_URL, use a host that the certificate names, and give tlsCertificateKeyFile if it asks for one.`;
  }
  return null;
};

/** The codes of an error, of its causes, and of the driver's server descriptions. */
const codesOf = (error: unknown, depth = 0): unknown[] => {
  if (!(error instanceof Error) || depth > 5) return [];
  const codes: unknown[] = 'code' in error ? [error.code] : [];
  const servers = 'reason' in error ? errorsOfServers(error.reason) : [];
  return [...codes, ...[error.cause, ...servers].flatMap((inner) => codesOf(inner, depth + 1))];
};

const errorsOfServers = (reason: unknown): unknown[] => {
  if (typeof reason !== 'object' || reason === null || !('servers' in reason) || !(reason.servers instanceof Map)) return [];
  return [...reason.servers.values()].map((server: unknown) =>
    typeof server === 'object' && server !== null && 'error' in server ? server.error : undefined,
  );
};

/**
 * Aborts `signal` as soon as the driver's monitor meets a refusal: the driver itself continues to look for a server. If only one side uses TLS, the
 * connection is just closed, so the server is asked which protocol it speaks.
 */
export const watchForRefusals = (client: MongoClient): { readonly signal: AbortSignal; stop(): void } => {
  const refused = new AbortController();
  const refuse = (sentence: string | null) => sentence !== null && refused.abort(new Error(sentence));
  const onFailure = ({ failure, connectionId }: ServerHeartbeatFailedEvent): void => {
    refuse(refusalOf(failure, client));
    if (!refused.signal.aborted) void mismatch(connectionId, client.options.tls).then(refuse);
  };
  client.on('serverHeartbeatFailed', onFailure);
  return { signal: refused.signal, stop: () => void client.off('serverHeartbeatFailed', onFailure) };
};

/** `address`: `host:port`. */
const mismatch = async (address: string, tls: boolean): Promise<string | null> => {
  const end = address.lastIndexOf(':');
  const spoken = await spokenAt(address.slice(0, end).replace(/^\[|\]$/g, ''), Number(address.slice(end + 1)));
  if (spoken === 'tls' && !tls) return 'MongoDB expects TLS. Add tls=true to MONGODB_URL, and tlsCAFile if its authority is your own.';
  if (spoken === 'plain' && tls)
    return 'MongoDB does not speak TLS. Set it up there (--tlsMode requireTLS), or remove tls=true from MONGODB_URL.';
  return null;
};

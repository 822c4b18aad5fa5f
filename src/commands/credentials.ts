import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { v5 as uuidv5 } from 'uuid';
import type { Clock } from '../clock.ts';
import * as decide from '../domain/credentials/decisions.ts';
import { findCredential } from '../domain/credentials/decisions.ts';
import { type CredentialKind, type CredentialsEvent, credentialsEventStream, type Role } from '../domain/credentials/events.ts';
import { type Credential, type CredentialsAggregate, credentialsDecider } from '../domain/credentials/state.ts';
import { conflict, notFound, Problem } from '../domain/problem.ts';
import type { Position } from '../stores/eventStore.ts';
import type { Keys } from '../stores/keys/openKeys.ts';
import type { EventLog } from '../stores/log/eventLog.ts';
import { type AppendContext, type CommandDeps, type Handled, handle, load } from './handle.ts';

export interface CredentialDeps extends CommandDeps {
  /** Default: Node's secure random source. */
  readonly randomBytes?: (size: number) => Buffer;
}

/** The public answer of issuing and rotating: the only time the secret is shown. */
export interface IssuedCredential {
  id: string;
  kind: Credential['kind'];
  label: string | null;
  role: Role;
  subject: string;
  /** Missing for an API key. */
  clientId?: string;
  secret: string;
  createdTimestamp: string;
  expiresTimestamp: string | null;
}

export interface IssueDeps extends CredentialDeps {
  readonly clock: Pick<Clock, 'now'>;
  readonly keys: Pick<Keys, 'isErased'>;
}

export interface CredentialRecorded {
  readonly credential: IssuedCredential;
  readonly position: Position | null;
}

const SECRET_BYTES = 32;

/** The form of a secret in events and the read model: hex SHA-256 of its UTF-8 text. */
export const hashSecret = (secret: string): string => createHash('sha256').update(secret).digest('hex');

export const makeSecret = (deps: CredentialDeps): string => (deps.randomBytes ?? randomBytes)(SECRET_BYTES).toString('base64url');

const shown = (credential: Credential | undefined, secret: string): IssuedCredential => {
  if (!credential) throw notFound('credential');
  const { credentialId, kind, label, role, subject, clientId, createdTimestamp, expiresTimestamp } = credential;
  return {
    id: credentialId,
    kind,
    label,
    role,
    subject,
    ...(clientId === null ? {} : { clientId }),
    secret,
    createdTimestamp,
    expiresTimestamp,
  };
};

export const handleCredentials = (
  deps: CommandDeps,
  subject: string,
  decision: (state: CredentialsAggregate) => readonly CredentialsEvent[],
  context: AppendContext,
  expectNew = false,
): Promise<Handled<CredentialsAggregate>> =>
  handle(deps, {
    eventStream: credentialsEventStream(subject),
    decider: credentialsDecider,
    decide: decision,
    context: { ...context, subject },
    expectNew,
  });

/** All current credentials of a subject, including revoked ones. */
export const loadCredentials = async (log: EventLog, subject: string): Promise<readonly Credential[]> =>
  (await load(log, credentialsEventStream(subject), credentialsDecider)).credentials;

const expiryOf = (text: string | null | undefined, now: number): string | null => {
  if (text === null || text === undefined) return null;
  const time = Date.parse(text);
  if (time > now) return new Date(time).toISOString();
  const wrong = Number.isNaN(time) ? 'is not a time' : 'is in the past';
  const nested = [new Problem('GENERAL_VALIDATION_ERROR', `expiresTimestamp: ${wrong}`)];
  throw new Problem('GENERAL_VALIDATION_ERROR', `The credential is not valid: expiresTimestamp ${wrong}.`, { nested });
};

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Must be a UUID, because ids of streams and outside subjects are derived from it. Accepted in any case, stored in lower case. */
const subjectOf = (text: string | undefined): string => {
  const subject = text?.toLowerCase() ?? randomUUID();
  if (UUID.test(subject)) return subject;
  throw new Problem('GENERAL_VALIDATION_ERROR', 'The credential is not valid: subject is not a UUID.', {
    nested: [new Problem('GENERAL_VALIDATION_ERROR', 'subject: is not a UUID')],
  });
};

const ERASED = 'This subject has been erased. Omit the subject to create a new one.';

/**
 * Issues a credential, for a new subject if none is given. `expiresTimestamp` is ISO 8601. Rejects with a `Problem`: 400 for a time that is not in
 * the future or a subject that is not a UUID, 409 for an erased subject, which could not start anything with it. `byOwner`: a person issues it for
 * themself, by the session that is the actor; 403 if they may not.
 */
export const issueCredential = async (
  deps: IssueDeps,
  wanted: { kind: CredentialKind; label: string; role: Role; subject?: string | undefined; expiresTimestamp?: string | null | undefined },
  context: AppendContext,
  byOwner = false,
): Promise<CredentialRecorded> => {
  const subject = subjectOf(wanted.subject);
  if (wanted.subject !== undefined && (await deps.keys.isErased(subject))) throw conflict(ERASED);
  const secret = makeSecret(deps);
  const data = {
    credentialId: randomUUID(),
    subject,
    kind: wanted.kind,
    label: wanted.label,
    role: wanted.role,
    clientId: wanted.kind === 'client' ? randomUUID() : null,
    secretHash: hashSecret(secret),
    expiresTimestamp: expiryOf(wanted.expiresTimestamp, deps.clock.now()),
  };
  const { state, position } = await handleCredentials(
    deps,
    subject,
    (credentials) => (byOwner ? decide.issueOwnCredential(credentials, context.actor, data) : decide.issueCredential(credentials, data)),
    context,
    !wanted.subject,
  );
  return { credential: shown(findCredential(state, data.credentialId), secret), position };
};

/** Replaces the secret. The old one and all tokens made with it stop working. Rejects with a `Problem` 404 for an unknown or revoked credential. */
export const rotateCredential = async (
  deps: CredentialDeps,
  { subject, credentialId }: { subject: string; credentialId: string },
  context: AppendContext,
): Promise<CredentialRecorded> => {
  const secret = makeSecret(deps);
  const hash = hashSecret(secret);
  const { state, position } = await handleCredentials(
    deps,
    subject,
    (credentials) => decide.rotateCredential(credentials, credentialId, hash),
    context,
  );
  return { credential: shown(findCredential(state, credentialId), secret), position };
};

/** `position` is `null` if it was already revoked. Rejects with a `Problem` 404 for an unknown credential. */
export const revokeCredential = async (
  deps: CredentialDeps,
  { subject, credentialId, reason }: { subject: string; credentialId: string; reason: string },
  context: AppendContext,
): Promise<{ position: Position | null }> => {
  const { position } = await handleCredentials(
    deps,
    subject,
    (credentials) => decide.revokeCredential(credentials, credentialId, reason),
    context,
  );
  return { position };
};

/** Namespace of all ids of the bootstrap subject. */
const BOOTSTRAP_NAMESPACE = '0b6f1f0e-52b7-5d0c-9c1e-7e1f5d1c2a44';

/** Owner of the bootstrap pair and the bootstrap key, on every installation. */
export const BOOTSTRAP_SUBJECT = uuidv5('bootstrap', BOOTSTRAP_NAMESPACE);

export interface BootstrapSettings {
  /** Both are set, or neither. */
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
  readonly apiKey?: string | undefined;
}

const wantedOf = (settings: BootstrapSettings): { kind: CredentialKind; clientId: string | null; secret: string }[] => {
  const { clientId, clientSecret, apiKey } = settings;
  return [
    ...(clientId && clientSecret ? [{ kind: 'client' as const, clientId, secret: clientSecret }] : []),
    ...(apiKey ? [{ kind: 'api-key' as const, clientId: null, secret: apiKey }] : []),
  ];
};

/** Neither a session nor a key of the terminal. */
const isAdministrators = ({ kind, role }: Credential): boolean => role === 'admin' && (kind === 'client' || kind === 'api-key');

/** The credentials in the settings or, if an installation has none, a generated pair and key. */
const bootstrapOf = (deps: CredentialDeps, settings: BootstrapSettings, existing: readonly Credential[]) => {
  const wanted = wantedOf(settings);
  const own = wanted.length === 0 && !existing.some(isAdministrators);
  const made = { clientId: randomUUID(), clientSecret: makeSecret(deps), apiKey: makeSecret(deps) };
  return { wanted: own ? wantedOf(made) : wanted, own };
};

/**
 * The administrator of a new installation: created at the first start, and restored if missing, revoked or changed. Without settings it is created
 * if no administrator exists, and returned in `made` to be shown once.
 */
export const ensureBootstrap = async (
  deps: CredentialDeps,
  settings: BootstrapSettings,
  context: AppendContext,
): Promise<{ subject: string; made: IssuedCredential[]; position: Position | null }> => {
  const { wanted, own } = bootstrapOf(deps, settings, await loadCredentials(deps.log, BOOTSTRAP_SUBJECT));
  const idOf = (kind: CredentialKind, life: number): string => uuidv5(`${kind}#${life}`, BOOTSTRAP_SUBJECT);
  const { state, position } = await handleCredentials(
    deps,
    BOOTSTRAP_SUBJECT,
    (state) =>
      // Of several starting nodes only one creates it, so that the shown credentials stay valid.
      own && state.credentials.some(isAdministrators)
        ? []
        : wanted.flatMap(({ kind, clientId, secret }) =>
            decide.keepBootstrap(
              state,
              {
                subject: BOOTSTRAP_SUBJECT,
                kind,
                label: kind === 'client' ? 'Bootstrap client' : 'Bootstrap key',
                role: 'admin',
                clientId,
                secretHash: hashSecret(secret),
                expiresTimestamp: null,
              },
              (life) => idOf(kind, life),
            ),
          ),
    context,
  );
  const made = own && position !== null ? wanted.map(({ kind, secret }) => shown(findCredential(state, idOf(kind, 1)), secret)) : [];
  return { subject: BOOTSTRAP_SUBJECT, made, position };
};

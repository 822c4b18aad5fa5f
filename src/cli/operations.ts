import { randomUUID } from 'node:crypto';
import { DAY_MILLISECONDS, isoTime } from '../clock.ts';
import { BOOTSTRAP_SUBJECT, issueCredential, revokeCredential, rotateCredential } from '../commands/credentials.ts';
import { makeSignInLink } from '../commands/sessions.ts';
import { CREDENTIAL_KINDS, type CredentialKind, type Role } from '../domain/credentials/events.ts';
import { notFound } from '../domain/problem.ts';
import type { Json, JsonObject } from '../json.ts';
import type { Platform } from '../platform.ts';
import { type CredentialDocument, credentialsProjection } from '../projections/credentials.ts';
import { progressOf } from '../projections/engine/startProgress.ts';
import type { ProjectionStatus } from '../projections/projection.ts';
import type { Position } from '../stores/eventStore.ts';
import type { AppendContext } from '../stores/log/eventLog.ts';
import { AUDIT_OPERATIONS } from './auditOperations.ts';
import type { Say } from './controlSocket.ts';
import { MOVING_OPERATIONS } from './movingOperations.ts';
import { asJson, type Operation, optionalText, type ServerFacts, textOf } from './operation.ts';

/** The operations of the command line: the same code in a running server and on a stopped data directory. */
export const OPERATIONS = {
  'credentials create': {
    readsModels: true,
    run: async (platform, input) => {
      // The command line has checked the arguments; the command and the event schema check them again.
      const wanted = { kind: textOf(input, 'kind') as CredentialKind, role: textOf(input, 'role') as Role, label: textOf(input, 'label') };
      const { credential, position } = await issueCredential(
        platform,
        { ...wanted, subject: optionalText(input, 'subject'), expiresTimestamp: optionalText(input, 'expiresTimestamp') },
        context(),
      );
      return seen(platform, position, asJson(credential));
    },
  },
  'credentials list': {
    readsModels: true,
    run: async ({ readModels }, input) => {
      const subject = optionalText(input, 'subject');
      const where = { kind: CREDENTIAL_KINDS, revoked: false, ...(subject === undefined ? {} : { subject }) };
      const orderBy = [{ member: 'createdTimestamp', direction: 'desc' as const }];
      const documents = await readModels.find(credentialsProjection, { where, orderBy, limit: 10_000 });
      return asJson(documents.map(withoutSecret));
    },
  },
  'credentials rotate': {
    readsModels: true,
    run: async (platform, input) => {
      const { credential, position } = await rotateCredential(platform, await credentialOf(platform, input), context());
      return seen(platform, position, asJson(credential));
    },
  },
  'credentials revoke': {
    readsModels: true,
    run: async (platform, input) => {
      const { position } = await revokeCredential(
        platform,
        { ...(await credentialOf(platform, input)), reason: 'Revoked from the command line' },
        context(),
      );
      return seen(platform, position, null);
    },
  },
  link: {
    readsModels: true,
    run: async (platform, _input, _say, { publicUrl }) => {
      const { token, position } = await makeSignInLink(platform, context());
      return seen(platform, position, { url: `${publicUrl}/#/link/${token}` });
    },
  },
  /** A key for the terminal of this machine: the streams belong to the administrator, who sees them in the dashboard. */
  'terminal key': {
    readsModels: true,
    run: async (platform, _input, _say, { localUrl, isTemporary }) => {
      const expiresTimestamp = isoTime(platform.clock.now() + DAY_MILLISECONDS);
      const { credential, position } = await issueCredential(
        platform,
        { kind: 'api-key', role: 'user', label: 'tributary transcribe', subject: BOOTSTRAP_SUBJECT, expiresTimestamp },
        context(),
      );
      return seen(platform, position, { url: localUrl, isTemporary, id: credential.id, apiKey: credential.secret });
    },
  },
  'projections status': { run: async ({ engine }) => asJson(await engine.status()) },
  'projections rebuild': {
    buildsModels: true,
    run: async ({ engine }, input, say) => {
      await engine.rebuild(textOf(input, 'name'), { onProgress: (progress) => say.progress(inWords(progress)) });
      return null;
    },
  },
  'projections drop': {
    run: async ({ engine }, input) => engine.dropOld(optionalText(input, 'name')),
  },
  'projections skip': {
    run: async ({ engine }, input) => {
      await engine.skip(textOf(input, 'name'), textOf(input, 'position'));
      return null;
    },
  },
  'objects confirm': {
    run: async ({ objectStorage }) => {
      if (objectStorage === null) throw new Error('This server has no object storage: TOPICS_URL is not set.');
      await objectStorage.confirmRestored();
      return null;
    },
  },
  ...AUDIT_OPERATIONS,
  ...MOVING_OPERATIONS,
} satisfies Record<string, Operation>;

export type OperationName = keyof typeof OPERATIONS;

const isOperation = (name: string): name is OperationName => Object.hasOwn(OPERATIONS, name);

/** Rejects with an error whose message is meant for the terminal. */
export const runOperation = async (platform: Platform, name: string, input: Json, say: Say, server: ServerFacts): Promise<Json> => {
  if (!isOperation(name))
    throw new Error(`The server does not know the operation "${name}". Check that server and command line have the same version.`);
  if (typeof input !== 'object' || input === null || Array.isArray(input)) throw new Error('An operation takes an object.');
  const operation: Operation = OPERATIONS[name];
  return operation.run(platform, input, say, server);
};

const context = (): AppendContext => {
  const correlationId = randomUUID();
  // The command sets the owner.
  return { subject: '', actor: 'command line', correlationId, causationId: correlationId };
};

/** Answers once the read models show the change, so the caller can read it at once. */
const seen = async ({ readModels }: Platform, position: Position | null, answer: Json): Promise<Json> => {
  if (position !== null) await readModels.waitFor(['credentials'], position);
  return answer;
};

const credentialOf = async ({ readModels }: Platform, input: JsonObject): Promise<{ subject: string; credentialId: string }> => {
  const credentialId = textOf(input, 'id');
  const document = await readModels.get(credentialsProjection, credentialId);
  if (document === null) throw notFound('credential');
  return { subject: document.subject, credentialId };
};

const withoutSecret = ({ credentialId, kind, label, role, subject, clientId, createdTimestamp, expiresTimestamp }: CredentialDocument) => ({
  id: credentialId,
  kind,
  label,
  role,
  subject,
  clientId,
  createdTimestamp,
  expiresTimestamp,
});

const inWords = (status: ProjectionStatus): string => {
  const { percent, eventsPerSecond, secondsLeft } = progressOf(status);
  const pace = secondsLeft === null ? [] : [`${eventsPerSecond} events/s`, `${secondsLeft} s left`];
  return `${status.name}: ${[`${percent} %`, ...pace].join(', ')}`;
};

import {
  type CredentialRecorded,
  type IssueDeps,
  issueCredential,
  revokeCredential,
  rotateCredential,
} from '../../commands/credentials.ts';
import type { CredentialUses } from '../../commands/credentialUses.ts';
import { type Caller, hasRole } from '../../domain/credentials/caller.ts';
import { covers } from '../../domain/credentials/decisions.ts';
import { CREDENTIAL_KINDS } from '../../domain/credentials/events.ts';
import { notFound, unavailable } from '../../domain/problem.ts';
import { type CredentialDocument, credentialsProjection } from '../../projections/credentials.ts';
import type { ReadModels } from '../../projections/readModels.ts';
import { behindHead } from '../answers/consistency.ts';
import { listParameters, pageOf } from '../answers/page.ts';
import { readPage } from '../answers/readPage.ts';
import type { CredentialDirectory } from '../auth/credentialDirectory.ts';
import { forbidden } from '../errors/errors.ts';
import { commandContext } from '../route/commandContext.ts';
import { type ApiRequest, type ApiResponse, defineRoute, type Route } from '../route/route.ts';
import { pageSchema } from '../streams/streamSchemas.ts';
import { readOwnCredentials } from './credentialList.ts';
import { CREDENTIAL, EVERYBODY, EXAMPLES, ISSUED, LISTED_SUBJECT, SELF, WANTED } from './credentialSchemas.ts';
import { namesOf } from './names.ts';

export interface CredentialRoutesDeps extends IssueDeps {
  readonly readModels: ReadModels;
  readonly directory: CredentialDirectory;
  readonly uses: Pick<CredentialUses, 'lastUsed'>;
}

const PATH = '/credential-service/api/v1/credentials';
const SHARED = { tag: 'Credentials', access: 'authenticated', reads: ['credentials'] } as const;

/** The credential service: administrators issue, list, rotate and revoke credentials, and people who are signed in do so for themselves. */
export const credentialRoutes = (deps: CredentialRoutesDeps): readonly Route[] => [
  listRoute(deps),
  issueRoute(deps),
  selfRoute(deps),
  getRoute(deps),
  rotateRoute(deps),
  revokeRoute(deps),
];

const listRoute = (deps: CredentialRoutesDeps): Route =>
  defineRoute({
    ...SHARED,
    operationId: 'listCredentials',
    method: 'GET',
    path: PATH,
    summary: 'Lists active credentials, newest first: your own and those you issued, those of `subject`, or all.',
    description: `Secrets are never listed. Revoked credentials are omitted. ${WHO}`,
    query: { ...listParameters('createdTimestamp,desc'), subject: LISTED_SUBJECT },
    responses: { 200: { description: 'A page of credentials, without secrets.', schema: pageSchema(CREDENTIAL) } },
    handle: async ({ query, caller }) => {
      const { readModels } = deps;
      const whose = await mayManage(deps, caller);
      const subject = whose ?? query.subject;
      if (query.subject !== undefined && query.subject !== subject) throw notYours();
      const where = { kind: CREDENTIAL_KINDS, revoked: false, ...(subject === undefined || subject === EVERYBODY ? {} : { subject }) };
      const { documents, total } =
        subject === undefined
          ? await readOwnCredentials(readModels, caller, query)
          : await readPage(readModels, credentialsProjection, { where, newestBy: 'createdTimestamp' }, query);
      return { status: 200, body: pageOf(await shown(deps, documents), total, query) };
    },
  });

const WHO = 'Needs the role admin; people who are signed in to the dashboard may do this for their own credentials.';

const notYours = () => forbidden('Only administrators work with credentials of others.');

/** The only subject whose credentials the caller may manage; `null`: all. Throws 403 for callers who may manage none. */
const mayManage = async ({ directory }: CredentialRoutesDeps, caller: Caller): Promise<string | null> => {
  if (hasRole(caller, 'admin')) return null;
  if (await directory.sessionOf(caller)) return caller.subject;
  throw forbidden('This operation needs the role admin, or a person who is signed in to the dashboard.');
};

const issueRoute = (deps: CredentialRoutesDeps): Route =>
  defineRoute({
    ...SHARED,
    operationId: 'issueCredential',
    holdsSecret: true,
    method: 'POST',
    path: PATH,
    summary: 'Issues a client with a secret, or an API key. The secret is shown only in this answer.',
    description: `Without \`subject\`, the platform makes a new subject for an administrator: a new user who owns nothing yet. Store the secret; it cannot be shown again. ${WHO} Their keys have their own role, or the role user.`,
    body: { kind: 'json', schema: WANTED, limitBytes: 16_384, examples: EXAMPLES },
    responses: {
      201: { description: 'The credential and its secret.', schema: ISSUED, headers: ['Location'] },
      409: { description: 'The subject has been erased.' },
    },
    handle: async (request) => {
      const whose = await mayManage(deps, request.caller);
      const named = request.body.subject?.toLowerCase();
      if (whose !== null && named !== undefined && named !== whose) throw notYours();
      const wanted = { ...request.body, subject: whose ?? named };
      const byOwner = wanted.subject === request.caller.subject && (await deps.directory.sessionOf(request.caller)) !== null;
      const recorded = await issueCredential(deps, wanted, commandContext(request, wanted.subject), byOwner);
      return answerOf(201, recorded, { Location: `${PATH}/${recorded.credential.id}` });
    },
  });

/** A key does not name its owner: the dashboard asks here. */
const selfRoute = (deps: CredentialRoutesDeps): Route =>
  defineRoute({
    ...SHARED,
    operationId: 'getOwnCredential',
    method: 'GET',
    path: `${PATH}/self`,
    summary: 'Returns the caller.',
    description: "The caller's subject and roles. For a credential of this platform also its details, without the secret.",
    responses: { 200: { description: 'The caller.', schema: SELF } },
    handle: async ({ caller: { subject, roles, actor } }) => {
      const { readModels, directory } = deps;
      const session = await directory.sessionOf({ subject, actor });
      const document = session ? null : await readModels.get(credentialsProjection, actor);
      const [credential = null] = await shown(deps, document ? [document] : []);
      const name = session && ((await namesOf(readModels, [session])).get(actor) ?? null);
      return { status: 200, body: { subject, roles, credential, ...(session && { session: { id: actor, name } }) } };
    },
  });

const getRoute = (deps: CredentialRoutesDeps): Route =>
  defineRoute({
    ...SHARED,
    operationId: 'getCredential',
    method: 'GET',
    path: `${PATH}/{credentialId}`,
    summary: 'Returns one credential, without its secret.',
    description: 'A revoked credential is 404.',
    responses: { 200: { description: 'The credential.', schema: CREDENTIAL } },
    handle: async (request) => {
      const [body] = await shown(deps, [await existing(deps, request)]);
      return { status: 200, body };
    },
  });

/** Rotating a credential shows its secret, so people do so only where their role allows the same, and linked people only with their own keys. Throws 403. */
const changeable = async (deps: CredentialRoutesDeps, request: CredentialRequest): Promise<CredentialDocument> => {
  const { caller } = request;
  const document = await existing(deps, request);
  if (hasRole(caller, 'admin')) return document;
  const { personId = null, subject } = (await deps.directory.sessionOf(caller)) ?? {};
  // Disabling a linked person revokes only the keys that they issued: a secret of another key would outlive it.
  if (personId !== subject && document.personId !== personId)
    throw forbidden('Someone else issued this credential. Ask an administrator to change it.');
  if (caller.roles.some((role) => covers(role, document.role))) return document;
  throw forbidden(`This credential has the role ${document.role}. Ask an administrator to change it.`);
};

const rotateRoute = (deps: CredentialRoutesDeps): Route =>
  defineRoute({
    ...SHARED,
    operationId: 'rotateCredential',
    holdsSecret: true,
    method: 'POST',
    path: `${PATH}/{credentialId}/rotate`,
    summary: 'Replaces the secret. The old secret and every token made with it stop working.',
    description: 'The old secret stops working at once, so give the new one to its user right away.',
    responses: { 200: { description: 'The credential and its new secret.', schema: ISSUED } },
    handle: async (request) => {
      const { credentialId, subject } = await changeable(deps, request);
      const recorded = await rotateCredential(deps, { credentialId, subject }, commandContext(request, subject));
      deps.directory.forget(credentialId);
      return answerOf(200, recorded);
    },
  });

const revokeRoute = (deps: CredentialRoutesDeps): Route =>
  defineRoute({
    ...SHARED,
    operationId: 'revokeCredential',
    method: 'DELETE',
    path: `${PATH}/{credentialId}`,
    summary: 'Revokes a credential and every token made with it.',
    description: 'Takes effect within one second on every node.',
    responses: { 204: { description: 'Revoked.' } },
    handle: async (request) => {
      const { credentialId, subject } = await changeable(deps, request);
      const by = hasRole(request.caller, 'admin') ? 'an administrator' : 'its owner';
      const revoked = { credentialId, subject, reason: `Revoked by ${by}` };
      const { position } = await revokeCredential(deps, revoked, commandContext(request, subject));
      deps.directory.forget(credentialId);
      return { status: 204, consistency: { position, projections: SHARED.reads, shown: true } };
    },
  });

const isKey = ({ kind }: CredentialDocument): boolean => CREDENTIAL_KINDS.some((one) => one === kind);

type CredentialRequest = ApiRequest<{ readonly credentialId: string }>;

/** A new credential may not be in the read model yet; its issuer must still find it. */
const existing = async (
  deps: CredentialRoutesDeps,
  { caller, params: { credentialId } }: CredentialRequest,
): Promise<CredentialDocument> => {
  const whose = await mayManage(deps, caller);
  const find = () => deps.readModels.get(credentialsProjection, credentialId);
  let document = await find();
  if (!document) {
    const behind = await behindHead(deps, SHARED.reads);
    document = await find();
    // The read model may not have reached it, so the credential cannot be called unknown.
    if (!document && behind !== null) throw unavailable('The read models have not caught up yet. Try again.');
  }
  if (!document || document.revoked || !isKey(document)) throw notFound('credential');
  if (whose !== null && document.subject !== whose) throw notFound('credential');
  return document;
};

const answerOf = (status: number, { credential, position }: CredentialRecorded, headers: Record<string, string> = {}): ApiResponse => ({
  status,
  body: credential,
  headers,
  consistency: { position, projections: SHARED.reads, shown: true },
});

const shown = async ({ readModels, uses }: CredentialRoutesDeps, documents: readonly CredentialDocument[]): Promise<object[]> => {
  const lastUsed = await uses.lastUsed(documents.map(({ credentialId }) => credentialId));
  const issuers = await readModels.getMany(credentialsProjection, [...new Set(documents.map(({ issuedBy }) => issuedBy))]);
  const people = await namesOf(
    readModels,
    issuers.filter((issuer) => !isKey(issuer)),
  );
  return documents.map(({ credentialId, kind, label, role, subject, clientId, createdTimestamp, expiresTimestamp, issuedBy }) => ({
    id: credentialId,
    kind,
    label,
    role,
    subject,
    ...(clientId === null ? {} : { clientId }),
    createdTimestamp,
    expiresTimestamp,
    issuedBy,
    ...(people.has(issuedBy) && { issuerName: people.get(issuedBy) }),
    lastUsedTimestamp: lastUsed.get(credentialId) ?? null,
  }));
};

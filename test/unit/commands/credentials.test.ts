import { describe, expect, test } from 'vitest';
import {
  BOOTSTRAP_SUBJECT,
  ensureBootstrap,
  hashSecret,
  issueCredential,
  loadCredentials,
  revokeCredential,
  rotateCredential,
} from '../../../src/commands/credentials.ts';
import { beginUpload } from '../../../src/commands/upload.ts';
import { BY, commandRig, planOf, typesOf } from '../../fakes/commandRig.ts';
import { OTHER, OWNER } from '../../fakes/streamStory.ts';

const uuid = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/);
const secret = expect.stringMatching(/^[A-Za-z0-9_-]{43}$/);

describe('a credential', () => {
  test('is returned with a secret of 256 bits, of which the log stores only the hash', async () => {
    const { deps, store } = commandRig();
    const { credential, position } = await issueCredential(deps, { kind: 'client', label: 'CI', role: 'user', subject: OWNER }, BY);
    expect(credential).toEqual({
      id: uuid,
      kind: 'client',
      label: 'CI',
      role: 'user',
      subject: OWNER,
      clientId: uuid,
      secret,
      createdTimestamp: '2026-01-01T00:00:00.000Z',
      expiresTimestamp: null,
    });
    expect(position).toBe(store.events[0]?.position);
    expect(store.events[0]).toMatchObject({ eventStream: `credentials-${OWNER}`, data: { secretHash: hashSecret(credential.secret) } });
    expect(JSON.stringify(store.events[0]?.data)).not.toContain(credential.secret);
  });

  test('is refused to an erased subject, which could not start a stream with it', async () => {
    const { deps, keys, store } = commandRig();
    const wanted = { kind: 'api-key', label: 'CI', role: 'user', subject: OWNER } as const;
    await issueCredential(deps, wanted, BY);
    await keys.destroySubjectKey(OWNER);
    await expect(issueCredential(deps, wanted, BY)).rejects.toMatchObject({ statusCode: 409, internalErrorName: 'GENERAL_CONFLICT_ERROR' });
    expect(store.events.length).toBe(1);
  });

  test('is refused to an erased subject that never had a credential', async () => {
    const { deps, keys } = commandRig();
    await beginUpload(deps, planOf(), BY);
    await keys.destroySubjectKey(OWNER);
    const wanted = { kind: 'api-key', label: 'CI', role: 'user', subject: OWNER } as const;
    await expect(issueCredential(deps, wanted, BY)).rejects.toMatchObject({ statusCode: 409 });
  });

  test('of kind API key has no client id, and creates a subject if none is given', async () => {
    const { deps, store } = commandRig();
    const { credential } = await issueCredential(
      deps,
      { kind: 'api-key', label: 'k', role: 'user', expiresTimestamp: '2027-01-01T00:00:00.000Z' },
      BY,
    );
    expect(credential).not.toHaveProperty('clientId');
    expect(credential).toMatchObject({ subject: uuid, expiresTimestamp: '2027-01-01T00:00:00.000Z' });
    expect(credential.subject).not.toBe(BY.subject);
    expect(store.events[0]?.metadata.subject).toBe(credential.subject);
  });

  test('accepts only a UUID as its subject, and stores it in lower case', async () => {
    const { deps, store } = commandRig();
    const wanted = { kind: 'api-key', label: 'k', role: 'user' } as const;
    expect((await issueCredential(deps, { ...wanted, subject: OWNER.toUpperCase() }, BY)).credential.subject).toBe(OWNER.toLowerCase());
    const stored = store.events.length;
    await expect(issueCredential(deps, { ...wanted, subject: 'me' }, BY)).rejects.toMatchObject({ statusCode: 400 });
    expect(store.events).toHaveLength(stored);
  });

  test('takes its secret from the given source of random bytes', async () => {
    const { deps } = commandRig();
    const fixed = { ...deps, randomBytes: (size: number) => Buffer.alloc(size, 7) };
    const { credential } = await issueCredential(fixed, { kind: 'api-key', label: 'k', role: 'user' }, BY);
    expect(Buffer.from(credential.secret, 'base64url')).toEqual(Buffer.alloc(32, 7));
  });

  test('gets another secret and generation when rotated, and otherwise stays the same', async () => {
    const { deps } = commandRig();
    const { credential } = await issueCredential(deps, { kind: 'client', label: 'CI', role: 'user', subject: OWNER }, BY);
    const { credential: rotated } = await rotateCredential(deps, { subject: OWNER, credentialId: credential.id }, BY);
    expect(rotated).toEqual({ ...credential, secret });
    expect(rotated.secret).not.toBe(credential.secret);
    expect(await loadCredentials(deps.log, OWNER)).toMatchObject([{ generation: 2, secretHash: hashSecret(rotated.secret) }]);
  });

  test('is revoked once, cannot be rotated afterwards, and is not found under another subject', async () => {
    const { deps } = commandRig();
    const { credential } = await issueCredential(deps, { kind: 'client', label: 'CI', role: 'user', subject: OWNER }, BY);
    const which = { subject: OWNER, credentialId: credential.id };
    await expect(revokeCredential(deps, { ...which, subject: OTHER, reason: 'x' }, BY)).rejects.toMatchObject({ statusCode: 404 });
    expect((await revokeCredential(deps, { ...which, reason: 'x' }, BY)).position).not.toBeNull();
    expect((await revokeCredential(deps, { ...which, reason: 'x' }, BY)).position).toBeNull();
    await expect(rotateCredential(deps, which, BY)).rejects.toMatchObject({ statusCode: 404 });
  });
});

describe('the bootstrap', () => {
  const settings = { clientId: 'boot', clientSecret: 's'.repeat(32), apiKey: 'k'.repeat(32) };
  const eventStream = `credentials-${BOOTSTRAP_SUBJECT}`;
  const live = async (rig: ReturnType<typeof commandRig>) =>
    (await loadCredentials(rig.deps.log, BOOTSTRAP_SUBJECT)).filter(({ revokedTimestamp }) => revokedTimestamp === null);

  test('creates the pair and the key once, as admin credentials of one subject', async () => {
    const rig = commandRig();
    expect(await ensureBootstrap(rig.deps, settings, BY)).toMatchObject({ subject: BOOTSTRAP_SUBJECT, made: [] });
    await ensureBootstrap(rig.deps, settings, BY);
    expect(await live(rig)).toMatchObject([
      { kind: 'client', clientId: 'boot', role: 'admin', subject: BOOTSTRAP_SUBJECT, secretHash: hashSecret(settings.clientSecret) },
      { kind: 'api-key', clientId: null, role: 'admin', subject: BOOTSTRAP_SUBJECT, secretHash: hashSecret(settings.apiKey) },
    ]);
    expect(typesOf(rig.store, eventStream)).toEqual(['CredentialIssued', 'CredentialIssued']);
  });

  test('restores the pair and the key if they were revoked or changed', async () => {
    const rig = commandRig();
    await ensureBootstrap(rig.deps, settings, BY);
    const [pair, key] = await live(rig);
    await revokeCredential(rig.deps, { subject: BOOTSTRAP_SUBJECT, credentialId: pair?.credentialId ?? '', reason: 'x' }, BY);
    await rotateCredential(rig.deps, { subject: BOOTSTRAP_SUBJECT, credentialId: key?.credentialId ?? '' }, BY);
    await ensureBootstrap(rig.deps, settings, BY);
    expect((await live(rig)).map(({ secretHash }) => secretHash).sort()).toEqual(
      [settings.clientSecret, settings.apiKey].map(hashSecret).sort(),
    );
    expect((await live(rig)).find(({ kind }) => kind === 'client')?.credentialId).not.toBe(pair?.credentialId);
  });

  test('replaces the client when the settings name another client id', async () => {
    const rig = commandRig();
    await ensureBootstrap(rig.deps, settings, BY);
    await ensureBootstrap(rig.deps, { ...settings, clientId: 'other' }, BY);
    expect((await live(rig)).map(({ clientId }) => clientId)).toEqual([null, 'other']);
  });

  test('makes credentials of its own without settings, and shows them once', async () => {
    const rig = commandRig();
    const { made } = await ensureBootstrap(rig.deps, {}, BY);
    expect(made).toMatchObject([
      { kind: 'client', clientId: uuid, secret },
      { kind: 'api-key', secret },
    ]);
    expect((await live(rig)).map(({ secretHash }) => secretHash)).toEqual(made.map((credential) => hashSecret(credential.secret)));
    expect(await ensureBootstrap(rig.deps, {}, BY)).toMatchObject({ made: [], position: null });
  });

  test('lets only one of several starting nodes make the credentials, and the shown ones work', async () => {
    const rig = commandRig();
    const shown = await Promise.all([rig.node(), rig.node(), rig.node()].map((node) => ensureBootstrap(node, {}, BY)));
    const made = shown.flatMap((one) => one.made);
    expect(made.map(({ kind }) => kind)).toEqual(['client', 'api-key']);
    expect((await live(rig)).map(({ clientId, secretHash }) => [clientId, secretHash])).toEqual(
      made.map(({ clientId, secret }) => [clientId ?? null, hashSecret(secret)]),
    );
  });
});

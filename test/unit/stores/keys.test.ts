import { createCipheriv, randomBytes, sign, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openEmbeddedDocuments } from '../../../src/stores/embedded/documents.ts';
import { openKeys } from '../../../src/stores/keys/openKeys.ts';
import { advancing, eventually } from '../../eventually.ts';
import { ManualClock } from '../../manualClock.ts';
import { temporaryDirectory } from '../../temporaryDirectory.ts';
import { documentsWriterInThread } from '../../writersInThread.ts';

const setUp = async () => {
  const file = join(temporaryDirectory(), 'vault.db');
  const vault = await openEmbeddedDocuments({ startWriter: documentsWriterInThread, file, durability: 'FULL' });
  onTestFinished(() => vault.close());
  const clock = new ManualClock();
  const masterKey = randomBytes(32);
  return { file, vault, clock, masterKey, node: () => openKeys({ vault, masterKey, clock }) };
};

/** As earlier versions stored an entry: only its id was authenticated. */
const firstForm = (masterKey: Buffer, id: string, secret: Buffer) => {
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', masterKey, iv).setAAD(Buffer.from(id));
  return { sealed: Buffer.concat([iv, cipher.update(secret), cipher.final(), cipher.getAuthTag()]).toString('base64'), facts: {} };
};

describe('the key of a subject', () => {
  it('is kept in a buffer of 32 bytes', async () => {
    const { node } = await setUp();
    const keys = await node();
    const made = await keys.subjectKey('someone', { create: true });
    const remembered = await keys.subjectKey('someone', { create: false });
    expect([made, remembered].map((key) => key?.buffer.byteLength)).toEqual([32, 32]);
  });
});

describe('signing keys', () => {
  it('sign data that their public half verifies, on every node and after a restart', async () => {
    const { node } = await setUp();
    const [a, b] = await Promise.all([node(), node()]);
    const [one, two] = await Promise.all([a.signingKey('token'), b.signingKey('token')]);
    expect(one.kid).toBe(two.kid);
    expect((await (await node()).signingKey('token')).kid).toBe(one.kid);
    const signature = sign('sha256', Buffer.from('x'), one.privateKey);
    expect(verify('sha256', Buffer.from('x'), two.publicKey, signature)).toBe(true);
    await expect(a.signingKey('seal')).rejects.toThrow('the vault has no seal key');
    await a.makeSealKey();
    expect((await a.signingKey('seal')).kid).not.toBe(one.kid);
  });

  it('are there for every request while the first one is being made', async () => {
    const { node } = await setUp();
    const keys = await node();
    const first = keys.signingKey('token');
    const asked = [first];
    let isMade = false;
    void first.then(() => {
      isMade = true;
    });
    while (!isMade) {
      const later = keys.signingKey('token');
      later.catch(() => {});
      asked.push(later);
      await new Promise(setImmediate);
    }
    expect(new Set((await Promise.all(asked)).map(({ kid }) => kid)).size).toBe(1);
  });

  it('are rotated with an overlap, which the other node sees within a second', async () => {
    const { node, clock } = await setUp();
    const [a, b] = [await node(), await node()];
    const old = await b.signingKey('token');
    const next = await a.rotateSigningKey('token', 60_000);
    expect(next.kid).not.toBe(old.kid);
    expect((await a.signingKey('token')).kid).toBe(next.kid);
    await clock.advance(1_000);
    expect((await b.signingKey('token')).kid).toBe(next.kid);
    expect((await b.acceptedKeys('token')).map(({ kid }) => kid)).toEqual([next.kid, old.kid]);
    await clock.advance(59_000);
    expect((await b.acceptedKeys('token')).map(({ kid }) => kid)).toEqual([next.kid]);
  });

  it('are accepted for ever with an endless overlap', async () => {
    const { node, clock } = await setUp();
    const keys = await node();
    await keys.makeSealKey();
    const old = await keys.signingKey('seal');
    const next = await keys.rotateSigningKey('seal', Number.POSITIVE_INFINITY);
    await clock.advance(1e12);
    expect((await keys.acceptedKeys('seal')).map(({ kid }) => kid)).toEqual([next.kid, old.kid]);
  });
});

describe('subject keys', () => {
  it('are created once, even by simultaneous requests, and only on request', async () => {
    const { node } = await setUp();
    const [a, b] = [await node(), await node()];
    expect(await a.subjectKey('u', { create: false })).toBeNull();
    const made = await Promise.all(Array.from({ length: 20 }, (_, n) => (n % 2 ? a : b).subjectKey('u', { create: true })));
    expect(made[0]).toHaveLength(32);
    expect(new Set(made.map((key) => key?.toString('hex'))).size).toBe(1);
    expect(await (await node()).subjectKey('u', { create: false })).toEqual(made[0]);
    expect(await a.subjectKey('v', { create: true })).not.toEqual(made[0]);
  });

  it('are gone on every node once destroyed, and never come back', async () => {
    const { node, clock } = await setUp();
    const [a, b] = [await node(), await node()];
    await a.subjectKey('u', { create: true });
    await b.subjectKey('u', { create: true });
    expect(await a.destroySubjectKey('u')).toBe(true);
    expect(await a.destroySubjectKey('u')).toBe(false);
    expect(await a.subjectKey('u', { create: true })).toBeNull();
    await clock.advance(1_000);
    expect(await b.subjectKey('u', { create: true })).toBeNull();
    expect(await (await node()).subjectKey('u', { create: true })).toBeNull();
  });

  it('of event streams are others, and are destroyed by themselves', async () => {
    const { node, clock, vault } = await setUp();
    const [a, b] = [await node(), await node()];
    const made = await a.eventStreamKey('u', { create: true });
    expect(await b.eventStreamKey('u', { create: false })).toEqual(made);
    expect(await a.subjectKey('u', { create: true })).not.toEqual(made);
    await b.destroyEventStreamKey('u');
    await clock.advance(1_000);
    expect(await a.eventStreamKey('u', { create: true })).toBeNull();
    expect(await a.subjectKey('u', { create: false })).toHaveLength(32);
    await a.destroyEventStreamKey('never edited');
    expect(await vault.get('vault', 'eventStream/never edited')).toBeNull();
  });

  it('are used by no node a second after they were destroyed, however slowly one was reading them', async () => {
    const { vault, masterKey, clock } = await setUp();
    await clock.advance(1_000);
    let arrived = () => {};
    const slow = new Proxy(vault, {
      get:
        (target, member: keyof typeof vault) =>
        async (...args: [string, string, never]) => {
          const answer = await (target[member] as (...args: unknown[]) => Promise<unknown>)(...args);
          if (args[1] === 'subject/u') await new Promise<void>((resolve) => (arrived = resolve));
          return answer;
        },
    });
    const a = await openKeys({ vault, masterKey, clock, shared: true });
    const b = await openKeys({ vault: slow, masterKey, clock, shared: true });
    await a.subjectKey('u', { create: true });
    const reading = b.subjectKey('u', { create: false });
    await vault.listCollections('');
    let gone = false;
    const destroyed = a.destroySubjectKey('u').then(() => {
      gone = true;
    });
    await advancing(async () => {
      await clock.advance(100);
      return a.isErased('u');
    });
    expect(gone).toBe(false);
    await advancing(async () => {
      await clock.advance(100);
      return gone;
    });
    await destroyed;
    arrived();
    expect(await reading).toHaveLength(32);
    const again = b.subjectKey('u', { create: false });
    await eventually(() => {
      arrived();
      return Promise.race([again.then(() => true), vault.listCollections('').then(() => false)]);
    });
    expect(await again).toBeNull();
  });

  it('are not created for a subject that was erased before it had one', async () => {
    const { node } = await setUp();
    const keys = await node();
    expect(await keys.destroySubjectKey('u')).toBe(false);
    expect(await keys.subjectKey('u', { create: true })).toBeNull();
  });
});

describe('the vault', () => {
  it('refuses another master key with a sentence', async () => {
    const { node, vault, clock } = await setUp();
    await node();
    await expect(openKeys({ vault, masterKey: randomBytes(32), clock })).rejects.toThrow('another master key');
  });

  it('has no plain-text secret on disk', async () => {
    const { node, file } = await setUp();
    const keys = await node();
    const subject = await keys.subjectKey('u', { create: true });
    const { privateKey } = await keys.signingKey('token');
    await keys.setNote('seal', { digest: 'VERY-PLAIN' });
    const disk = readFileSync(file, 'latin1') + readFileSync(`${file}-wal`, 'latin1');
    const der = privateKey.export({ format: 'der', type: 'pkcs8' });
    for (const secret of [subject ?? Buffer.from(''), der, Buffer.from('VERY-PLAIN')]) {
      expect(disk).not.toContain(secret.toString('latin1'));
      expect(disk).not.toContain(secret.toString('base64').slice(4, -8));
    }
  });

  it('detects an entry in the place of another', async () => {
    const { node, vault } = await setUp();
    const keys = await node();
    await keys.subjectKey('mallory', { create: true });
    await keys.subjectKey('alice', { create: true });
    const stolen = await vault.get('vault', 'subject/mallory');
    await vault.replace('vault', 'subject/alice', stolen?.body ?? {});
    await expect((await node()).subjectKey('alice', { create: false })).rejects.toThrow('does not open');
  });

  it('detects a changed fact beside a secret, and an entry of the first form in its place', async () => {
    const { node, vault, masterKey } = await setUp();
    await (await node()).signingKey('token');
    const stored = await vault.get('vault', 'signing/token/1');
    await vault.replace('vault', 'signing/token/1', { ...stored?.body, facts: { previousUntil: null } });
    await expect((await node()).signingKey('token')).rejects.toThrow('does not open');
    await vault.replace('vault', 'signing/token/1', firstForm(masterKey, 'signing/token/1', Buffer.from('old')));
    await expect((await node()).signingKey('token')).rejects.toThrow('does not open');
  });

  it('upgrades a vault of an earlier version once, and repeats an interrupted upgrade', async () => {
    const { node, vault, masterKey } = await setUp();
    await node();
    await vault.replace('vault', 'check', firstForm(masterKey, 'check', Buffer.from('tributary')));
    await vault.create('vault', 'subject/u', firstForm(masterKey, 'subject/u', Buffer.alloc(32, 7)));
    for (const turn of [1, 2]) {
      const keys = await node();
      expect([turn, keys.upgrading, await keys.subjectKey('u', { create: false })]).toEqual([turn, true, Buffer.alloc(32, 7)]);
      if (turn === 2) await keys.finishUpgrade();
    }
    expect((await vault.get('vault', 'subject/u'))?.body).toMatchObject({ form: 2 });
    expect((await node()).upgrading).toBe(false);
  });

  it('keeps only the newest note', async () => {
    const { node } = await setUp();
    const keys = await node();
    expect(await keys.note('seal')).toBeNull();
    await keys.setNote('seal', { n: 1 });
    await keys.setNote('seal', { n: 2, list: ['a', null] });
    expect(await (await node()).note('seal')).toEqual({ n: 2, list: ['a', null] });
  });
});

describe('derived secrets', () => {
  it('are 32 bytes, repeatable, and depend on purpose and master key', async () => {
    const first = await setUp();
    const keys = await first.node();
    const secret = keys.derive('webhook/1/0');
    expect(secret).toHaveLength(32);
    expect((await first.node()).derive('webhook/1/0')).toEqual(secret);
    expect(keys.derive('webhook/1/1')).not.toEqual(secret);
    expect((await (await setUp()).node()).derive('webhook/1/0')).not.toEqual(secret);
  });
});

describe('the marker of an erased subject', () => {
  const erased = async () => {
    const world = await setUp();
    const keys = await world.node();
    await keys.subjectKey('u', { create: true });
    await keys.destroySubjectKey('u');
    return world;
  };

  it('is refused if it was made without the master key', async () => {
    const { vault, node } = await setUp();
    await (await node()).subjectKey('v', { create: true });
    for (const forged of [{ destroyed: true }, { destroyed: true, tag: 'x' }, {}]) {
      await vault.replace('vault', 'subject/v', forged);
      await expect((await node()).subjectKey('v', { create: false })).rejects.toThrow('subject/v');
    }
  });

  it('is refused in another place', async () => {
    const { vault, node } = await erased();
    const marker = await vault.get('vault', 'subject/u');
    await vault.create('vault', 'subject/v', marker?.body ?? {});
    await expect((await node()).isErased('v')).rejects.toThrow('subject/v');
  });

  it('of an earlier version is authenticated at the first start only', async () => {
    const { vault, node, masterKey } = await erased();
    // As earlier versions stored both: the check without facts, the marker without a tag.
    const iv = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', masterKey, iv).setAAD(Buffer.from('{"facts":{},"form":2,"id":"check"}'));
    const sealed = Buffer.concat([iv, cipher.update('tributary'), cipher.final(), cipher.getAuthTag()]).toString('base64');
    await vault.replace('vault', 'check', { form: 2, sealed, facts: {} });
    await vault.replace('vault', 'subject/u', { destroyed: true });
    expect(await (await node()).isErased('u')).toBe(true);
    expect((await vault.get('vault', 'subject/u'))?.body).toEqual({ destroyed: true, tag: expect.any(String) });
    await vault.replace('vault', 'subject/u', { destroyed: true });
    await expect((await node()).isErased('u')).rejects.toThrow('subject/u');
  });
});

import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openEmbeddedDocuments } from '../../src/stores/embedded/documents.ts';
import { openLoneLeases } from '../../src/stores/leases/loneLeases.ts';
import { ManualClock } from '../manualClock.ts';
import { temporaryDirectory } from '../temporaryDirectory.ts';
import { leasesContract } from './leases.ts';

const openDocuments = (directory = temporaryDirectory()) =>
  openEmbeddedDocuments({ file: join(directory, 'views.db'), durability: 'NORMAL' });

describe('leases on embedded documents', () => {
  leasesContract(openDocuments);
});

describe('leases of the embedded form', () => {
  const start = async (directory: string, clock = new ManualClock()) => {
    const documents = await openDocuments(directory);
    const leases = await openLoneLeases({ documents, clock, holder: 'pid 1' });
    const close = async () => {
      await leases.close();
      await documents.close();
    };
    onTestFinished(close);
    return { leases, close };
  };

  it('have one holder in the process, and are free when it releases them', async () => {
    const { leases } = await start(temporaryDirectory());
    const lease = await leases.tryAcquire('x');
    expect(await leases.tryAcquire('x')).toBeNull();
    expect([await leases.isFree('x'), await leases.isFree('y')]).toEqual([false, true]);
    expect(await leases.list()).toEqual([{ name: 'x', epoch: lease?.epoch, holder: 'pid 1' }]);
    const waiting = leases.acquire('x', new AbortController().signal);
    await lease?.release();
    expect(lease?.signal.aborted).toBe(true);
    expect((await waiting).signal.aborted).toBe(false);
  });

  it('have a later epoch after each start, whatever the clock says', async () => {
    const directory = temporaryDirectory();
    const epochs: (number | undefined)[] = [];
    for (const clock of [new ManualClock(), new ManualClock(0)]) {
      const { leases, close } = await start(directory, clock);
      epochs.push((await leases.tryAcquire('x'))?.epoch);
      await close();
    }
    expect(epochs[1]).toBe((epochs[0] ?? 0) + 1);
  });

  it('end with the process, and so do calls that wait', async () => {
    const { leases } = await start(temporaryDirectory());
    const lease = await leases.tryAcquire('x');
    const waiting = leases.acquire('x', new AbortController().signal);
    waiting.catch(() => undefined);
    await leases.close();
    expect(lease?.signal.aborted).toBe(true);
    await expect(waiting).rejects.toThrow('closed');
  });
});

import { Worker } from 'node:worker_threads';
import { StoreUnavailable } from '../eventStore.ts';
import type { CopyOrder, FromCopier } from './copyThread.ts';

// A thread cannot load TypeScript: from sources (the tests), it is the compiled one.
const COPIER = new URL(
  import.meta.url.endsWith('.ts') ? '../../../dist/stores/embedded/copyThread.js' : './copyThread.js',
  import.meta.url,
);

/**
 * Copies `log.db`, or a file of documents, while it is in use: everything that had been acknowledged when it was called is in the copy, whose file
 * is synced. `onProgress` hears a share from 0 to 1. Rejects with `StoreUnavailable` when it cannot be read or the copy cannot be written.
 */
export const copyStore = (order: CopyOrder, onProgress: (share: number) => void = () => {}): Promise<void> =>
  new Promise((resolve, reject) => {
    const worker = new Worker(COPIER, { workerData: order, name: 'copier' });
    let done = false;
    const failed = (why: string) => reject(new StoreUnavailable(`${order.from} could not be copied to ${order.to}: ${why}`));
    worker.on('message', (message: FromCopier) => {
      if ('done' in message) done = true;
      else onProgress(message.share);
    });
    worker.on('error', (error) => failed(error instanceof Error ? error.message : String(error)));
    worker.on('exit', () => (done ? resolve() : failed('the copier ended')));
  });

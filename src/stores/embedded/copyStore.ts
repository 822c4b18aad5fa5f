import { StoreUnavailable } from '../eventStore.ts';
import type { CopyOrder, FromCopier } from './copyThread.ts';
import { threadOf } from './writerThread.ts';

const startCopier = threadOf<CopyOrder>('copyThread');

/**
 * Copies `log.db`, or a file of documents, while it is in use. The copy contains everything acknowledged before the call, and its file is synced.
 * `onProgress` gets a share from 0 to 1. Rejects with `StoreUnavailable` if it cannot be read or the copy cannot be written.
 */
export const copyStore = (order: CopyOrder, onProgress: (share: number) => void = () => {}): Promise<void> =>
  new Promise((resolve, reject) => {
    const worker = startCopier(order);
    let done = false;
    const failed = (why: string) => reject(new StoreUnavailable(`${order.from} could not be copied to ${order.to}: ${why}`));
    worker.on('message', (message: FromCopier) => {
      if ('done' in message) done = true;
      else onProgress(message.share);
    });
    worker.on('error', (error) => failed(error instanceof Error ? error.message : String(error)));
    worker.on('exit', () => (done ? resolve() : failed('the copier ended')));
  });

import { Worker } from 'node:worker_threads';
import type { FromInspector, Inspected, InspectOrder } from './inspectThread.ts';

// A thread cannot load TypeScript: from sources (the tests), it is the compiled one.
const INSPECTOR = new URL(import.meta.url.endsWith('.ts') ? '../../dist/moving/inspectThread.js' : './inspectThread.js', import.meta.url);

/** Makes the copy of a log and its vault fit together, and says what it refers to. Rejects with the place that does not verify. */
export const inspectCopy = (order: InspectOrder, onVerified: (events: number) => void): Promise<Inspected> =>
  new Promise((resolve, reject) => {
    const worker = new Worker(INSPECTOR, { workerData: order, name: 'inspector' });
    let inspected: Inspected | null = null;
    let refused = 'the inspector ended';
    worker.on('message', (message: FromInspector) => {
      if ('verified' in message) onVerified(message.verified);
      else if ('refused' in message) refused = `it does not verify: ${message.refused}`;
      else inspected = message;
    });
    worker.on('error', (error) => {
      refused = error instanceof Error ? error.message : String(error);
    });
    // Only now are its files closed.
    worker.on('exit', () => (inspected ? resolve(inspected) : reject(new Error(`${order.directory}: ${refused}`))));
  });

import { Worker } from 'node:worker_threads';
import type { FromInspector, Inspected, InspectOrder } from './inspectThread.ts';

// A thread cannot load TypeScript, so tests that run from the sources use the compiled file.
const INSPECTOR = new URL(import.meta.url.endsWith('.ts') ? '../../dist/moving/inspectThread.js' : './inspectThread.js', import.meta.url);

/** Reconciles the copied log and its vault and returns what the log refers to. Rejects with the place that does not verify. */
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
    // Only the thread's end closes its files for certain.
    worker.on('exit', () => (inspected ? resolve(inspected) : reject(new Error(`${order.directory}: ${refused}`))));
  });

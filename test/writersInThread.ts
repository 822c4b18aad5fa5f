import { EventEmitter } from 'node:events';
import { MessageChannel, type MessagePort, type Worker } from 'node:worker_threads';
import type { StartDocumentsWriter } from '../src/stores/embedded/documentsThread.ts';
import { serveDocuments } from '../src/stores/embedded/documentsWriter.ts';
import { serveLog } from '../src/stores/embedded/logWriter.ts';
import type { StartWriter } from '../src/stores/embedded/writerThread.ts';

/**
 * The real writers of `log.db`, `views.db` and `vault.db`, with real files and messages, but in the thread of the test: starting a thread takes longer than most
 * tests. Tests of the stores themselves, and all servers, use threads. So must tests of files that cannot be opened or written: an error here is the test's.
 */

/** Stands for the worker of a store, and has what the store uses of it. It ends when the writer closes its port. */
class SameThread extends EventEmitter {
  readonly performance = { eventLoopUtilization: () => ({ idle: 0, active: 0, utilization: 0 }) };
  readonly #port: MessagePort;
  readonly #arrived: () => void;

  constructor(port: MessagePort, arrived: () => void) {
    super();
    this.#port = port;
    this.#arrived = arrived;
    port.on('message', (message) => this.emit('message', message));
    port.on('close', () => this.emit('exit', 0));
  }

  postMessage(message: unknown): void {
    this.#port.postMessage(message);
    this.#arrived();
  }
}

export const logWriterInThread: StartWriter = ({ file }) => {
  const { port1, port2 } = new MessageChannel();
  let serving = serveLog(port2, file);
  const perform = () => {
    if (serving?.perform()) {
      while (serving.tidy());
    } else {
      serving = null;
      port2.close();
    }
  };
  return new SameThread(port1, () => setImmediate(perform)) as unknown as Worker;
};

export const documentsWriterInThread: StartDocumentsWriter = (settings) => {
  const { port1, port2 } = new MessageChannel();
  serveDocuments(port2, settings);
  return new SameThread(port1, () => {}) as unknown as Worker;
};

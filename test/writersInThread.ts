import { EventEmitter } from 'node:events';
import { MessageChannel, type MessagePort, type Worker } from 'node:worker_threads';
import { type DocumentsWriterData, serveDocuments } from '../src/stores/embedded/documentsWriter.ts';
import { type LogWriterData, serveLog } from '../src/stores/embedded/logWriter.ts';
import type { StartWriter } from '../src/stores/embedded/writerThread.ts';

/**
 * The real writers of `log.db`, `views.db` and `vault.db`, with real files and messages, but in the thread of the test: starting a thread takes longer than most
 * tests. Tests of the stores themselves, and all servers, use threads. So must tests of files that cannot be opened or written: an error here is the test's.
 */

/** Stands for the worker of a store, and has what the store uses of it. It ends when the writer closes its port. */
class SameThread extends EventEmitter {
  readonly #port: MessagePort;

  constructor(port: MessagePort) {
    super();
    this.#port = port;
    port.on('message', (message) => this.emit('message', message));
    port.on('close', () => this.emit('exit', 0));
  }

  postMessage(message: unknown): void {
    this.#port.postMessage(message);
  }
}

const inThread =
  <Data>(serve: (port: MessagePort, data: Data) => void): StartWriter<Data> =>
  (data) => {
    const { port1, port2 } = new MessageChannel();
    serve(port2, data);
    return new SameThread(port1) as unknown as Worker;
  };

export const logWriterInThread = inThread<LogWriterData>(serveLog);
export const documentsWriterInThread = inThread<DocumentsWriterData>(serveDocuments);

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export interface EventStoreServer {
  readonly url: string;
  readonly real: boolean;
  stop(): void;
}

/** The server of `EVENTSTORE_URL`; else the fake of the tests. */
export const eventStoreServer = async (): Promise<EventStoreServer> => {
  const url = process.env.EVENTSTORE_URL;
  if (url) return { url, real: true, stop: () => undefined };
  const child: ChildProcess = spawn(process.execPath, ['test/fakes/eventStoreDb/server.mjs'], { stdio: ['ignore', 'pipe', 'inherit'] });
  if (!child.stdout) throw new Error('no output to read');
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  return { url: String(line).split(' ')[2] ?? '', real: false, stop: () => child.kill('SIGKILL') };
};

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { freshDirectory } from './deliveryRig.ts';
import { defineBench } from './frame.ts';

const DUE = 100_000;
const BAR_SECONDS = 5;
/** Number of deliveries during which memory is measured. */
const SENT = 10_000;

/** A receiver that can stop answering. */
const startReceiver = async () => {
  const state = { hangs: false, received: 0 };
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      state.received += 1;
      if (!state.hangs) response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { state, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, server };
};

const node = (directory: string, ...rest: string[]): ChildProcess =>
  fork(new URL('./backlogNode.js', import.meta.url), [directory, ...rest]);

const kill = async (child: ChildProcess): Promise<void> => {
  child.kill('SIGKILL');
  await once(child, 'exit');
};

/** Largest resident memory so far, in MB. */
const peakMemory = ({ pid }: ChildProcess): number =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

const until = async (condition: () => boolean): Promise<void> => {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
};

/** A node is started with 100,000 due deliveries: time until the first is sent, compared with the five seconds allowed; and its memory. */
export const backlog = defineBench({
  name: 'backlog',
  bar: 1,
  run: async (compare) => {
    const directory = freshDirectory();
    const receiver = await startReceiver();
    receiver.state.hangs = true;
    const preparing = node(directory.path, receiver.url, String(DUE));
    await once(preparing, 'message');
    await kill(preparing);
    receiver.state.hangs = false;
    const memory: number[] = [];
    await compare(`${DUE.toLocaleString('en')} due`, {
      unit: '1/s (first send)',
      rounds: 5,
      ours: async () => {
        receiver.state.received = 0;
        const start = performance.now();
        const sending = node(directory.path, receiver.url);
        await until(() => receiver.state.received > 0);
        const seconds = (performance.now() - start) / 1_000;
        await until(() => receiver.state.received >= SENT);
        memory.push(Math.round(peakMemory(sending)));
        await kill(sending);
        return 1 / seconds;
      },
      baseline: async () => 1 / BAR_SECONDS,
      notes: () => ({ 'peak MB': Math.max(...memory) }),
    });
    receiver.server.closeAllConnections();
    receiver.server.close();
    directory.remove();
  },
});

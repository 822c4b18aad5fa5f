import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
import { eventually } from '../eventually.ts';
import { Receiver } from '../receiver.ts';
import { temporaryDirectory } from '../temporaryDirectory.ts';
import { recovered } from './recovery.ts';

const OWNER = randomUUID();

/** Number of times the receiver gets the event: only an attempt that was sent but not recorded is repeated. */
it.each([
  ['between scheduling and sending', 1],
  ['before the send', 1],
  ['after the send and before the record', 2],
  ['after the record', 1],
])(
  'a node killed %s loses no due webhook: it arrives %i times',
  async (point, times) => {
    const receiver = await Receiver.start();
    onTestFinished(() => receiver.close());
    const directory = temporaryDirectory();
    const node = (environment: Record<string, string>) => {
      const child = spawn(process.execPath, ['test/faults/deliveryNode.mjs'], {
        env: { PATH: process.env.PATH, DATA_DIR: directory, RECEIVER_PORT: String(receiver.port), OWNER, ...environment },
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      onTestFinished(() => void child.kill('SIGKILL'));
      return child;
    };
    const heard = (groupId: string) => receiver.received.filter(({ event }) => event.payload.groupId === groupId);
    const [killed, marker] = [randomUUID(), randomUUID()];

    const first = node({ GROUP_ID: killed, KILL_AT: point, MAKE_ENDPOINT: 'yes' });
    const [, signal] = await once(first, 'exit');
    expect(signal).toBe('SIGKILL');

    node({ GROUP_ID: marker });
    await recovered(`a node killed ${point}`, () => eventually(() => heard(killed).length >= times && heard(marker).length >= 1));
    expect(heard(killed).length).toBe(times);
    expect(new Set(heard(killed).map(({ body }) => body)).size).toBe(1);
    expect(heard(killed).map(({ headers }) => headers['webhook-sequence'])).toEqual(Array.from({ length: times }, () => '1'));
  },
  40_000,
);

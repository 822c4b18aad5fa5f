import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { ReceivedBodies } from '../../../src/http/server/receivedBodies.ts';
import { ManualClock } from '../../manualClock.ts';

test.each([
  ['is ended after 30 s', false],
  ['is kept while the server holds bytes of it that it has not parsed', true],
])('a body of which nothing arrives %s', async (_, isHeld) => {
  const clock = new ManualClock();
  const bodies = new ReceivedBodies(clock, { holds: () => isHeld });
  let isEnded = false;
  const incoming = Object.assign(new EventEmitter(), {
    ...{ complete: false, readableLength: 0, socket: { bytesRead: 1_000 } },
    destroy: () => {
      isEnded = true;
    },
  });
  // They have what is used of a request and its answer.
  bodies.add(incoming as unknown as IncomingMessage, { headersSent: false, writableFinished: false } as unknown as ServerResponse);
  await clock.advance(61_000);
  expect(isEnded).toBe(!isHeld);
  bodies.stop();
});

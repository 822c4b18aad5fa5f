import { expect } from 'vitest';
import { getStream } from '../e2e/client.ts';
import type { RunningServer } from '../e2e/server.ts';
import { eventually } from '../eventually.ts';

/** It was never created, or it ends. */
export const expectNotReady = (url: string, streamId: string): Promise<boolean> =>
  eventually(async () => {
    const { status, body } = await getStream(url, streamId);
    expect([status, body.state]).toSatisfy(() => status === 404 || (status === 200 && body.state !== 'READY'));
    return true;
  }, 30_000);

/** Unexpected errors in the server's log. */
export const faultsOf = (server: RunningServer): string[] =>
  server
    .log()
    .split('\n')
    .filter((line) => line.includes('"request failed"') || line.includes('uncaught') || line.includes('"level":"fatal"'));

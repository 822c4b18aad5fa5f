import { expect } from 'vitest';
import { getStream } from '../e2e/client.ts';
import type { RunningServer } from '../e2e/server.ts';
import { eventually } from '../eventually.ts';

/** It was never made, or it comes to an end. */
export const expectNotReady = (url: string, streamId: string): Promise<boolean> =>
  eventually(async () => {
    const { status, body } = await getStream(url, streamId);
    expect([status, body.state]).toSatisfy(() => status === 404 || (status === 200 && body.state !== 'READY'));
    return true;
  }, 30_000);

/** What the server logged of requests that nobody foresaw. */
export const faultsOf = (server: RunningServer): string[] =>
  server
    .log()
    .split('\n')
    .filter((line) => line.includes('"request failed"') || line.includes('uncaught') || line.includes('"level":"fatal"'));

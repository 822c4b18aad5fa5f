import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

/** A server that sends everything and closes, and a caller that reads later. */
const CALLER = `
import { createServer } from 'node:net';
import { request } from 'undici';
const body = Buffer.alloc(100_000);
const server = createServer((socket) => {
  socket.on('error', () => {});
  socket.once('data', () => {
    socket.write('HTTP/1.1 200 OK\\r\\nContent-Length: 100000\\r\\nConnection: close\\r\\n\\r\\n');
    socket.end(body);
  });
});
server.listen(0, '127.0.0.1', async () => {
  const answer = await request('http://127.0.0.1:' + server.address().port);
  await new Promise((resolve) => setTimeout(resolve, 500));
  console.log((await answer.body.arrayBuffer()).byteLength);
  process.exit(0);
});
`;

// undici 7.26 to 7.30 ended the process with an assertion (nodejs/undici#5360): links, webhooks and downloads let others cause it.
test('survives a server that closes before its answer is read', () => {
  const { status, stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', CALLER], { encoding: 'utf8' });
  expect([status, stdout]).toEqual([0, '100000\n']);
});

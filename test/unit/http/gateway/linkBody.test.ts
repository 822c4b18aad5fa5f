import { once } from 'node:events';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { readLinkOrBytes } from '../../../../src/http/gateway/linkBody.ts';
import { MultipartParts } from '../../../../src/http/gateway/multipart.ts';
import { DEFAULT_LIMITS } from '../../../../src/limits.ts';
import { BrokenOff } from '../../../../src/stores/pump.ts';

test('a body whose client left before it was read is broken off', async () => {
  const body = new Readable({ read() {} });
  body.push('https://example.org/');
  body.destroy();
  await once(body, 'close');
  await expect(readLinkOrBytes(body)).rejects.toBeInstanceOf(BrokenOff);
});

test('a multipart body whose client left before it was read is broken off, whether it had arrived or not', async () => {
  for (const complete of [true, false]) {
    const incoming = new IncomingMessage(new Socket());
    incoming.headers['content-type'] = 'multipart/form-data; boundary=x';
    incoming.complete = complete;
    incoming.push('--x');
    incoming.destroy();
    await once(incoming, 'close');
    await expect(new MultipartParts(incoming, DEFAULT_LIMITS).next()).rejects.toBeInstanceOf(BrokenOff);
  }
});

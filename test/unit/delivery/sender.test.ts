import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parseRanges } from '../../../src/addressGuard/ranges.ts';
import { NameNotResolved, type Resolve } from '../../../src/addressGuard/resolve.ts';
import { systemClock } from '../../../src/clock.ts';
import { AttemptTimedOut, type Flight } from '../../../src/delivery/queue/flight.ts';
import type { AttemptEnd } from '../../../src/delivery/retryRules.ts';
import { openSender } from '../../../src/delivery/send/sender.ts';
import { type Answering, Receiver } from '../../receiver.ts';
import { temporaryDirectory } from '../../temporaryDirectory.ts';

interface Options {
  readonly allow?: string;
  readonly resolve?: Resolve;
  readonly timeout?: number;
}

/** One attempt, as the dispatcher has it made. */
const attempt = async (url: string, { allow = '127.0.0.0/8', resolve = noName, timeout = 600 }: Options = {}): Promise<AttemptEnd> => {
  const sender = openSender({ guard: { allow: parseRanges(allow), resolve }, clock: systemClock });
  onTestFinished(() => sender.close());
  const ending = new AbortController();
  let timer = setTimeout(() => ending.abort(new AttemptTimedOut()), timeout);
  const arrived = () => {
    clearTimeout(timer);
    timer = setTimeout(() => ending.abort(new Error('enough')), 1_000);
  };
  const flight: Flight = { signal: ending.signal, arrived };
  const end = await sender.send(url, { 'content-type': 'application/json' }, '{}', flight);
  clearTimeout(timer);
  if (end === 'abandoned') throw new Error('abandoned');
  return end;
};

const noName: Resolve = async () => {
  throw new NameNotResolved();
};

const answering = async (answer: Answering): Promise<string> => {
  const receiver = await Receiver.start();
  onTestFinished(() => receiver.close());
  receiver.answer('/', answer);
  return receiver.url('/');
};

/** A server that speaks as it likes. */
const raw = async (onConnection: (socket: Socket) => void): Promise<string> => {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    onConnection(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
};

/** Writes a chunk repeatedly until the other side stops reading; returns the bytes written. */
const pour = (write: (chunk: Buffer) => boolean, onDrain: (go: () => void) => void): { bytes: number } => {
  const chunk = Buffer.alloc(65_536, 'x');
  const poured = { bytes: 0 };
  const go = () => {
    while (poured.bytes < 2 ** 30) {
      poured.bytes += chunk.length;
      if (!write(chunk)) return onDrain(go);
    }
  };
  go();
  return poured;
};

describe('the sender', () => {
  it.each([200, 201, 202, 204, 299])('reports %i as delivered', async (status) => {
    const url = await answering((_, response) => response.writeHead(status).end());
    expect(await attempt(url)).toMatchObject({ verdict: 'delivered', status, reason: null });
  });

  it('reports 2xx as delivered once the headers arrive, and cuts off a long body', async () => {
    const url = await answering((_, response) => {
      response.writeHead(200);
      response.write('thanks');
    });
    expect(await attempt(url)).toMatchObject({ verdict: 'delivered', excerpt: 'thanks' });
  });

  it.each([301, 302, 303, 307, 308])('reports %i as failed and does not follow it', async (status) => {
    let second = 0;
    const elsewhere = await answering((_, response) => {
      second += 1;
      response.end();
    });
    const url = await answering((_, response) => response.writeHead(status, { location: elsewhere }).end());
    expect(await attempt(url)).toMatchObject({ verdict: 'retry', status, reason: 'redirect' });
    expect(second).toBe(0);
  });

  it('says who sends', async () => {
    let userAgent: unknown;
    const url = await answering(({ headers }, response) => {
      userAgent = headers['user-agent'];
      response.end();
    });
    await attempt(url);
    expect(userAgent).toMatch(/^Tributary\/\d/);
  });

  it('reports 410 as a request to stop sending', async () => {
    const url = await answering((_, response) => response.writeHead(410).end('go away'));
    expect(await attempt(url)).toMatchObject({ verdict: 'gone', status: 410, excerpt: 'go away' });
  });

  it.each([429, 503])('takes the Retry-After of %i', async (status) => {
    const url = await answering((_, response) => response.writeHead(status, { 'retry-after': '12' }).end());
    expect(await attempt(url)).toMatchObject({ verdict: 'retry', status, endpointPause: 12_000, leastDelay: 12_000 });
  });

  it('ignores the Retry-After of another status', async () => {
    const url = await answering((_, response) => response.writeHead(500, { 'retry-after': '12' }).end('oh'));
    expect(await attempt(url)).toMatchObject({ verdict: 'retry', status: 500, reason: 'status 500', endpointPause: null, excerpt: 'oh' });
  });

  it('reports a closed port as failed', async () => {
    const receiver = await Receiver.start();
    const url = receiver.url('/');
    await receiver.close();
    expect(await attempt(url)).toMatchObject({ verdict: 'retry', status: null, reason: 'connection refused' });
  });

  it('reports a reset as failed', async () => {
    const url = await raw((socket) => socket.on('data', () => socket.resetAndDestroy()));
    expect(await attempt(url)).toMatchObject({
      verdict: 'retry',
      status: null,
      reason: expect.stringMatching(/^connection (reset|closed)$/),
    });
  });

  it('reports a connection closed without an answer as failed', async () => {
    const url = await raw((socket) => socket.on('data', () => socket.end()));
    expect(await attempt(url)).toMatchObject({ verdict: 'retry', status: null, reason: 'connection closed' });
  });

  it.each(['102 Processing', '103 Early Hints'])('skips the interim answer %s', async (interim) => {
    const url = await raw((socket) => socket.on('data', () => socket.write(`HTTP/1.1 ${interim}\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n`)));
    expect(await attempt(url)).toMatchObject({ verdict: 'delivered', status: 204 });
  });

  it('reports an answer that is not HTTP as failed', async () => {
    const url = await raw((socket) => socket.on('data', () => socket.end('220 mail.example.org ESMTP\r\n')));
    expect(await attempt(url)).toMatchObject({ verdict: 'retry', status: null, reason: 'no HTTP answer' });
  });

  it('reports a silent receiver as failed when its time is over', async () => {
    const url = await raw(() => {});
    const start = performance.now();
    expect(await attempt(url)).toMatchObject({ verdict: 'retry', status: null, reason: 'timed out' });
    expect(performance.now() - start).toBeLessThan(10_000);
  });

  it('reports endlessly dripping headers as failed when their time is over', async () => {
    const url = await raw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      const drip = setInterval(() => socket.write('x'), 20);
      socket.on('close', () => clearInterval(drip));
    });
    expect(await attempt(url)).toMatchObject({ verdict: 'retry', reason: 'timed out' });
  });

  it('reports endless interim answers as failed when their time is over', async () => {
    const url = await raw((socket) => {
      const drip = setInterval(() => socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'), 20);
      socket.on('close', () => clearInterval(drip));
    });
    expect(await attempt(url)).toMatchObject({ verdict: 'retry', reason: 'timed out' });
  });

  it('reports endless headers as failed', async () => {
    const url = await raw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nx: ');
      pour(
        (chunk) => !socket.destroyed && socket.write(chunk),
        (go) => socket.once('drain', go),
      );
    });
    expect(await attempt(url)).toMatchObject({ verdict: 'retry', status: null, reason: 'headers too large' });
  });

  it('reports more than 100 interim answers as failed at once', async () => {
    const url = await raw((socket) => socket.on('data', () => socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(101))));
    expect(await attempt(url, { timeout: 5_000 })).toMatchObject({ verdict: 'retry', status: null, reason: 'too many 1xx responses' });
  });

  it('reports a TLS failure as failed', async () => {
    const url = await raw((socket) => socket.on('data', () => socket.end('HTTP/1.1 200 OK\r\n\r\n')));
    expect(await attempt(url.replace('http:', 'https:'))).toMatchObject({ verdict: 'retry', status: null, reason: 'TLS failure' });
  });

  it('reports an untrusted certificate as failed', async () => {
    const directory = temporaryDirectory();
    const [key, cert] = [join(directory, 'key.pem'), join(directory, 'cert.pem')];
    execFileSync(
      'openssl',
      ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', cert, '-days', '1', '-subj', '/CN=localhost'],
      {
        stdio: 'ignore',
      },
    );
    const server = createHttpsServer({ key: readFileSync(key), cert: readFileSync(cert) }, (_, response) => response.end());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    expect(await attempt(url)).toMatchObject({ verdict: 'retry', status: null, reason: 'TLS failure' });
  });

  it('reports a name that does not resolve as failed', async () => {
    expect(await attempt('http://nowhere.example.org/')).toMatchObject({ verdict: 'retry', reason: 'name not found' });
  });

  it('reports a silent name server as failed when its time is over', async () => {
    const resolve: Resolve = () => new Promise(() => {});
    expect(await attempt('http://slow.example.org/', { resolve })).toMatchObject({ verdict: 'retry', reason: 'timed out' });
  });
});

describe('a kept connection', () => {
  /** Two attempts over one sender to a server that answers the nth request as it likes; resolves with the second end. */
  const second = async (url: string): Promise<AttemptEnd> => {
    const sender = openSender({ guard: { allow: parseRanges('127.0.0.0/8'), resolve: noName }, clock: systemClock });
    onTestFinished(() => sender.close());
    const flight: Flight = { signal: AbortSignal.timeout(5_000), arrived: () => undefined };
    await sender.send(url, {}, '{}', flight);
    // The connection is idle once its empty body has been read.
    await setImmediate();
    const end = await sender.send(url, {}, '{}', flight);
    if (end === 'abandoned') throw new Error('abandoned');
    return end;
  };
  const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n';
  const perConnection = async (answer: (socket: Socket, connection: number, request: number) => void) => {
    let connections = 0;
    let requests = 0;
    const url = await raw((socket) => {
      const connection = ++connections;
      socket.on('data', () => answer(socket, connection, ++requests));
    });
    return { url, counts: () => ({ connections, requests }) };
  };

  it.each([
    ['closes', (socket: Socket) => socket.end()],
    ['resets', (socket: Socket) => socket.resetAndDestroy()],
    ['answers 408 on', (socket: Socket) => socket.end('HTTP/1.1 408 Request Timeout\r\nconnection: close\r\n\r\n')],
  ])('that its server %s is replaced by a new one for the same attempt', async (_, refuse) => {
    const { url, counts } = await perConnection((socket, connection, request) => {
      if (connection === 1 && request === 2) refuse(socket);
      else socket.write(OK);
    });
    expect(await second(url)).toMatchObject({ verdict: 'delivered', status: 200 });
    expect(counts()).toEqual({ connections: 2, requests: 3 });
  });

  it('that its server closes is replaced only once', async () => {
    const { url, counts } = await perConnection((socket, _, request) => void (request === 1 ? socket.write(OK) : socket.end()));
    expect(await second(url)).toMatchObject({ verdict: 'retry', reason: 'connection closed' });
    expect(counts()).toEqual({ connections: 2, requests: 3 });
  });

  it('is replaced although another attempt opens a new one at the same time', async () => {
    let [closing, opened]: [Socket | null, number] = [null, 0];
    const url = await raw((socket) => {
      opened += 1;
      let requests = 0;
      socket.on('data', () => {
        requests += 1;
        if (requests === 1) socket.write(OK);
        else closing = socket;
        // Both attempts are under way: only now the kept connection ends.
        if (closing && opened === 2) closing.end();
      });
    });
    const sender = openSender({ guard: { allow: parseRanges('127.0.0.0/8'), resolve: noName }, clock: systemClock });
    onTestFinished(() => sender.close());
    const flight: Flight = { signal: AbortSignal.timeout(5_000), arrived: () => undefined };
    await sender.send(url, {}, '{}', flight);
    await setImmediate();
    const ends = await Promise.all([sender.send(url, {}, '{}', flight), sender.send(url, {}, '{}', flight)]);
    expect(ends).toMatchObject([{ verdict: 'delivered' }, { verdict: 'delivered' }]);
    expect(opened).toBe(3);
  });

  it('is not replaced once its server has begun to answer', async () => {
    const { url, counts } = await perConnection((socket, _, request) => {
      if (request === 1) socket.write(OK);
      else socket.end('HTTP/1.1 20');
    });
    expect(await second(url)).toMatchObject({ verdict: 'retry', status: null });
    expect(counts()).toEqual({ connections: 1, requests: 2 });
  });

  it('is not replaced after a 408 on a new one', async () => {
    const { url, counts } = await perConnection((socket) => {
      socket.end('HTTP/1.1 408 Request Timeout\r\ncontent-length: 0\r\nconnection: close\r\n\r\n');
    });
    expect(await attempt(url)).toMatchObject({ verdict: 'retry', status: 408 });
    expect(counts()).toEqual({ connections: 1, requests: 1 });
  });
});

describe('the address guard at the attempt', () => {
  it('refuses a local address without connecting, always with the same text', async () => {
    let connections = 0;
    const url = await raw(() => {
      connections += 1;
    });
    expect(await attempt(url, { allow: '' })).toEqual({
      verdict: 'refused',
      endpoint: 'fails',
      status: null,
      reason: 'The address is not allowed.',
      endpointPause: null,
      leastDelay: null,
      excerpt: null,
    });
    expect(connections).toBe(0);
  });

  it('refuses a name if one of its addresses is internal', async () => {
    let connections = 0;
    const url = await raw(() => {
      connections += 1;
    });
    const resolve: Resolve = async () => ['93.184.216.34', '127.0.0.1'];
    const named = url.replace('127.0.0.1', 'rebinding.example.org');
    expect(await attempt(named, { allow: '', resolve })).toMatchObject({ verdict: 'refused' });
    expect(connections).toBe(0);
  });
});

describe('the excerpt of an answer', () => {
  it('has the first 16 KiB, whatever the size', async () => {
    let poured = { bytes: 0 };
    const url = await answering((_, response) => {
      response.writeHead(200);
      poured = pour(
        (chunk) => !response.destroyed && response.write(chunk),
        (go) => response.once('drain', go),
      );
    });
    const end = await attempt(url);
    expect(end.verdict).toBe('delivered');
    expect(end.excerpt).toBe('x'.repeat(16_384));
    expect(poured.bytes).toBeLessThan(64 * 1024 * 1024);
  });

  it('is taken after decompression, and stops a decompression bomb at 16 KiB', async () => {
    const bomb = gzipSync(Buffer.alloc(200 * 1024 * 1024));
    const url = await answering((_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb));
    const before = process.memoryUsage().rss;
    const end = await attempt(url);
    expect(end).toMatchObject({ verdict: 'delivered' });
    expect(end.excerpt?.length).toBe(16_384);
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1024 * 1024);
  });

  it('has the part of the body before it broke', async () => {
    const url = await answering((_, response) => {
      response.writeHead(500, { 'content-length': '1000' });
      response.write('half');
      setTimeout(() => response.destroy(), 50);
    });
    expect(await attempt(url)).toMatchObject({ verdict: 'retry', status: 500, excerpt: 'half' });
  });

  it('has the first second of a dripping body', async () => {
    const url = await answering((_, response) => {
      response.writeHead(200);
      const drip = setInterval(() => response.write('.'), 100);
      response.on('close', () => clearInterval(drip));
    });
    const start = performance.now();
    expect(await attempt(url)).toMatchObject({ verdict: 'delivered', excerpt: expect.stringMatching(/^\.+$/) });
    expect(performance.now() - start).toBeLessThan(10_000);
  });

  it('is empty if the body does not match its encoding', async () => {
    const url = await answering((_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('no gzip'));
    expect(await attempt(url)).toMatchObject({ verdict: 'delivered', excerpt: null });
  });
});

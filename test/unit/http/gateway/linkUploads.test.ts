import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { parseRanges } from '../../../../src/addressGuard/ranges.ts';
import { eventually } from '../../../eventually.ts';
import { type Gateway, startGateway } from './gatewayServer.ts';

const SPEECH = '668115d123bca7e3509723d4';
const PING = '65f46430c6d8985974ff9c9d';
const TEXT = '7472696275746172790a7478';
const MAX_BYTES = 300_000;
const SILENCE = 1_000;
const REFUSED = 'The link points to an address that is not allowed.';

/** Names of the tests. Of local addresses, the guard allows only 127.0.0.1. */
const NAMES: Record<string, string[]> = {
  'media.example.org': ['127.0.0.1'],
  'inward.example.org': ['10.0.0.7'],
  'both.example.org': ['127.0.0.1', '192.168.0.1'],
};
const resolved: string[] = [];
const resolve = async (name: string): Promise<readonly string[]> => {
  resolved.push(name);
  const addresses = NAMES[name];
  if (!addresses) throw new Error('no such name');
  return addresses;
};

let dataDir: string;
let gateway: Gateway;
beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'tributary-links-'));
  gateway = await startGateway(dataDir, {
    maxBytes: MAX_BYTES,
    guard: { allow: parseRanges('127.0.0.1'), resolve },
    silenceMilliseconds: SILENCE,
    speechServer: { url: 'http://127.0.0.1:9', apiKey: null, model: null, timeoutMilliseconds: 1_000 },
  });
});
afterAll(async () => {
  await gateway.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

const listening = async (server: Server | ReturnType<typeof createTcpServer>): Promise<number> => {
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  return (server.address() as AddressInfo).port;
};

/** A server that links point at; counts what reaches it. */
const mediaServer = async (listener: RequestListener): Promise<{ url: string; connections: () => number; open: () => number }> => {
  let connections = 0;
  let open = 0;
  const server = createServer(listener);
  server.on('connection', (socket) => {
    connections += 1;
    open += 1;
    socket.on('close', () => {
      open -= 1;
    });
  });
  const port = await listening(server);
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${port}`, connections: () => connections, open: () => open };
};

/** A server that writes `text` to every client, and then acts as told. */
const rawServer = async (text: string, then: (socket: Socket) => void): Promise<string> => {
  const server = createTcpServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.write(text, () => then(socket)));
    closing.push(() => socket.destroy());
  });
  const port = await listening(server);
  closing.push(() => server.close());
  return `http://127.0.0.1:${port}/`;
};

// biome-ignore lint/suspicious/noExplicitAny: bodies are checked by assertions
type Answer = { status: number; body: any };

const send = async (body: string | Uint8Array, query = '', template = SPEECH, init: RequestInit = {}): Promise<Answer> => {
  const response = await fetch(`${gateway.url}/http-gateway/api/v1/upload?streamConfigurationTemplateId=${template}&${query}`, {
    method: 'POST',
    body: body as NonNullable<RequestInit['body']>,
    ...init,
  });
  return { status: response.status, body: await response.json() };
};

/** The stream's reason for a link that fails after the stream's creation. */
const failureOf = async (link: string): Promise<string> => {
  const { status, body } = await send(link);
  expect([status, body.state]).toEqual([200, 'FAILED']);
  expect(await gateway.bytesOf(body.streamId)).toBeNull();
  return body.stateDescription;
};

describe('a valid link', () => {
  test('is fetched, and its content is the upload', async () => {
    const media = randomBytes(250_000);
    const asked: Record<string, unknown>[] = [];
    const { url } = await mediaServer((request, response) => {
      asked.push({
        method: request.method,
        path: request.url,
        encoding: request.headers['accept-encoding'],
        ...secretsOf(request.headers),
      });
      response.end(media);
    });
    const { status, body } = await send(`${url}/speech.wav?a=1`, 'name=mine', SPEECH, {
      headers: { authorization: 'Basic secret-of-mine' },
    });
    expect([status, body.state, body.name]).toEqual([200, 'READY', 'mine']);
    expect((await gateway.bytesOf(body.streamId))?.equals(media)).toBe(true);
    expect((await gateway.streamOf(body.streamId))?.upload).toMatchObject({ state: 'completed' });
    expect(asked).toEqual([{ method: 'GET', path: '/speech.wav?a=1', encoding: 'identity' }]);
  });

  test.each(['%s\n', '%s\r\n', '%s  '])('may be followed by %j', async (form) => {
    const { url } = await mediaServer((_, response) => response.end('sound'));
    const { body } = await send(form.replace('%s', `${url}/x`));
    expect((await gateway.bytesOf(body.streamId))?.toString()).toBe('sound');
  });

  test('may arrive in pieces, in capitals, and be 8 KiB long', async () => {
    const { url } = await mediaServer((_, response) => response.end('sound'));
    const link = `${url}/`.replace('http', 'HTTP').padEnd(8_192, 'x');
    const pieces = new ReadableStream({
      async start(controller) {
        for (const piece of [link.slice(0, 3), link.slice(3, 20), link.slice(20)]) {
          controller.enqueue(new TextEncoder().encode(piece));
          await new Promise((turn) => setTimeout(turn, 20));
        }
        controller.close();
      },
    });
    const { body } = await send('', '', SPEECH, { body: pieces, duplex: 'half' } as RequestInit);
    expect((await gateway.bytesOf(body.streamId))?.toString()).toBe('sound');
  });

  test('may use a host name and up to five redirects', async () => {
    const { url, connections } = await mediaServer((request, response) => {
      const n = Number(request.url?.slice(1));
      if (n >= 5) response.end('sound');
      else response.writeHead([301, 302, 303, 307, 308][n] ?? 302, { location: `/${n + 1}` }).end('not this');
    });
    const { body } = await send(`${url.replace('127.0.0.1', 'media.example.org')}/0`);
    expect((await gateway.bytesOf(body.streamId))?.toString()).toBe('sound');
    expect(connections()).toBeGreaterThan(0);
  });
});

describe('a body that is not a link', () => {
  test.each([
    ['text that only begins like one', 'http://example.org and more'],
    ['two of them', 'http://example.org/a\nhttp://example.org/b'],
    ['another scheme', 'ftp://example.org/a'],
    ['bytes that are not UTF-8', Buffer.concat([Buffer.from('http://example.org/'), Buffer.from([0xff, 0xfe])])],
    ['more than 8 KiB', 'http://example.org/'.padEnd(8_193, 'x')],
    ['one letter', 'h'],
    ['sound', randomBytes(2_000)],
  ])('is stored as it is: %s', async (_what, given) => {
    const { status, body } = await send(given);
    expect(status).toBe(200);
    expect(await gateway.bytesOf(body.streamId)).toEqual(Buffer.from(given));
  });

  test.each([PING, TEXT])('is stored as bytes if the template takes no media (%s), even if it is a URL', async (template) => {
    const link = 'http://127.0.0.1:1/';
    const { body } = await send(link, '', template);
    expect((await gateway.bytesOf(body.streamId))?.toString()).toBe(link);
  });

  test('is still 400 if it is empty', async () => {
    expect((await send('')).status).toBe(400);
  });
});

describe('a link to an internal address', () => {
  const inward = [
    'http://localhost/x',
    'http://10.1.2.3/',
    'http://[::1]/',
    'http://169.254.169.254/latest/meta-data',
    'http://0x7f.2/',
    'http://user:pass@media.example.org/',
    'http://inward.example.org/x',
    'http://both.example.org/x',
    'http://printer.local/',
    'http://[bad',
    'http://media.example.org:0/',
  ];

  test('is always refused with the same 400, and creates nothing', async () => {
    const messages = new Set<string>();
    for (const link of inward) {
      const id = randomUUID();
      const { status, body } = await send(link, `id=${id}`);
      expect([link, status, body.internalErrorName]).toEqual([link, 400, 'GENERAL_BAD_REQUEST_ERROR']);
      expect(await gateway.streamOf(id)).toBeNull();
      messages.add(body.message);
    }
    expect([...messages]).toEqual(['This link is not allowed. It must use http or https and must not point to a local address.']);
  });

  test.each(['http://10.0.0.1/', 'http://inward.example.org/', 'http://localhost/', 'file:///etc/passwd', 'http://a:b@media.example.org/'])(
    'behind a redirect (%s) leaves a FAILED stream',
    async (location) => {
      const { url } = await mediaServer((_, response) => response.writeHead(302, { location }).end());
      expect(await failureOf(`${url}/`)).toBe(REFUSED);
    },
  );

  test('is refused without a connection if its name resolves inward only when fetched', async () => {
    const { url, connections } = await mediaServer((_, response) => response.end('inner secret'));
    // A public address when the link is checked, a local one when it is fetched.
    const answers = [['93.184.216.34'], ['127.0.0.2']];
    Object.defineProperty(NAMES, 'rebound.example.org', { configurable: true, get: () => answers.shift() });
    expect(await failureOf(`${url.replace('127.0.0.1', 'rebound.example.org')}/`)).toBe(REFUSED);
    expect([answers, connections()]).toEqual([[], 0]);
  });
});

describe('a FAILED stream results from a link that', () => {
  test('answers with an error', async () => {
    const { url } = await mediaServer((_, response) => response.writeHead(404).end('secret words'));
    expect(await failureOf(url)).toBe('The link answered with status 404.');
  });

  test('returns no data', async () => {
    const { url } = await mediaServer((_, response) => response.end());
    expect(await failureOf(url)).toBe('The link returned no data.');
  });

  test('redirects to nothing or more than five times', async () => {
    const nowhere = await mediaServer((_, response) => response.writeHead(302).end());
    expect(await failureOf(nowhere.url)).toBe('The link answered with status 302.');
    let requests = 0;
    const circle = await mediaServer((_, response) => {
      requests += 1;
      response.writeHead(302, { location: '/' }).end();
    });
    expect(await failureOf(circle.url)).toBe('The link was redirected more than 5 times.');
    expect(requests).toBe(6);
  });

  test('has no server or no address', async () => {
    const server = createTcpServer();
    const port = await listening(server);
    await new Promise((done) => server.close(done));
    expect(await failureOf(`http://127.0.0.1:${port}/`)).toBe('The link could not be fetched. The connection failed.');
    expect(await failureOf('http://unknown.example.org/')).toMatch(/^The link could not be fetched/);
  });

  test('announces more than may be uploaded, before any byte is read', async () => {
    const { url } = await mediaServer((_, response) => {
      response.writeHead(200, { 'content-length': String(MAX_BYTES + 1) });
      response.flushHeaders();
    });
    expect(await failureOf(url)).toBe(`The data behind the link exceed ${MAX_BYTES} bytes.`);
  });

  test('sends more than may be uploaded', async () => {
    const { url, open } = await mediaServer((_, response) => {
      const more = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536)));
        response.once('drain', more);
      };
      more();
    });
    expect(await failureOf(url)).toBe(`The data behind the link exceed ${MAX_BYTES} bytes.`);
    await eventually(() => open() === 0);
  });

  test('sends less than it announced', async () => {
    const url = await rawServer('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhalf', (socket) => socket.end());
    expect(await failureOf(url)).toBe('The download from the link broke off before its end.');
  });

  test('resets the connection', async () => {
    const url = await rawServer('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhalf', (socket) => socket.resetAndDestroy());
    expect(await failureOf(url)).toBe('The download from the link broke off before its end.');
  });

  test('does not speak HTTP or sends endless headers', async () => {
    expect(await failureOf(await rawServer('SSH-2.0-OpenSSH_9.6\r\n', () => {}))).toMatch(/^The link could not be fetched/);
    const endless = await rawServer(`HTTP/1.1 200 OK\r\n${'X-More: 0123456789\r\n'.repeat(10_000)}`, () => {});
    expect(await failureOf(endless)).toMatch(/^The link could not be fetched/);
  });

  test('answers nothing or falls silent', async () => {
    const silent = await mediaServer(() => {});
    expect(await failureOf(silent.url)).toBe('The link sent no data for too long.');
    const falling = await mediaServer((_, response) => response.write('a beginning'));
    expect(await failureOf(falling.url)).toBe('The link sent no data for too long.');
    await eventually(() => falling.open() === 0);
  });

  test('answers with compressed data, such as a decompression bomb', async () => {
    const { url } = await mediaServer((_, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(50_000_000))),
    );
    expect(await failureOf(url)).toBe('The link answered with a content encoding. Only unencoded bytes are accepted.');
  });
});

test('waits for a slow link while it keeps sending', async () => {
  const { url } = await mediaServer((_, response) => {
    let left = 5;
    const drip = setInterval(() => {
      response.write('.');
      if (--left === 0) {
        clearInterval(drip);
        response.end();
      }
    }, SILENCE / 4);
  });
  const { body } = await send(url);
  expect((await gateway.bytesOf(body.streamId))?.toString()).toBe('.....');
});

test('shows the stream while its link is being fetched', async () => {
  const id = randomUUID();
  let finish = (): void => {};
  const { url } = await mediaServer((_, response) => {
    finish = () => response.end('sound');
  });
  const answer = send(url, `id=${id}`);
  await eventually(async () => (await gateway.streamOf(id))?.upload.state === 'open');
  finish();
  expect((await answer).body.streamId).toBe(id);
});

test('stops the fetch when the client leaves, and leaves a FAILED stream without bytes', async () => {
  const id = randomUUID();
  const { url, open } = await mediaServer((_, response) => response.write('a beginning'));
  const leaving = new AbortController();
  const answer = send(url, `id=${id}`, SPEECH, { signal: leaving.signal }).catch(() => 'gone');
  await eventually(() => open() === 1);
  await eventually(async () => (await gateway.streamOf(id))?.upload.state === 'open');
  leaving.abort();
  expect(await answer).toBe('gone');
  const failed = await eventually(async () => {
    const now = await gateway.streamOf(id);
    return now?.upload.state === 'failed' && now;
  });
  expect(failed.stream.stateDescription).toBe('The client closed the connection before the upload was complete.');
  expect(await gateway.bytesOf(id)).toBeNull();
  await eventually(() => open() === 0);
});

test('stops the fetch and answers 409 when the stream is cancelled', async () => {
  const id = randomUUID();
  const { url, open } = await mediaServer((_, response) => {
    const drip = setInterval(() => response.write('.'), 50);
    response.on('close', () => clearInterval(drip));
  });
  const answer = send(url, `id=${id}`);
  await eventually(async () => (await gateway.streamOf(id))?.upload.state === 'open');
  await gateway.cancel(id);
  expect((await answer).status).toBe(409);
  await eventually(() => open() === 0);
});

test('accepts another try under the Idempotency-Key of a link that failed', async () => {
  let times = 0;
  const { url } = await mediaServer((_, response) => {
    times += 1;
    if (times === 1) response.writeHead(500).end();
    else response.end('sound');
  });
  const headers = { 'Idempotency-Key': randomUUID() };
  const answers = [
    await send(url, '', SPEECH, { headers }),
    await send(url, '', SPEECH, { headers }),
    await send(url, '', SPEECH, { headers }),
  ];
  expect(answers.map(({ body }) => body.state)).toEqual(['FAILED', 'READY', 'READY']);
  expect(answers[1]?.body.streamId).toBe(answers[2]?.body.streamId);
  expect(times).toBe(2);
});

const secretsOf = ({ authorization, cookie, referer }: Record<string, unknown>): Record<string, unknown> =>
  JSON.parse(JSON.stringify({ authorization, cookie, referer }));

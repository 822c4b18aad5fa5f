import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { request } from 'undici';
import { WebSocket } from 'ws';
import { defineBench } from './frame.ts';
import { accessToken, benchDirectory, type MeasuredServer, startTributary } from './serverProcess.ts';

const PING = '65f46430c6d8985974ff9c9d';
const CHUNK = 16_384;
const CLIENT_BYTES_A_SECOND = 65_536;
const MEBIBYTE = 2 ** 20;
/** The bar for a first message. */
const FIRST_MESSAGE_MILLISECONDS = 200;

interface Caller {
  readonly server: MeasuredServer;
  readonly authorization: string;
}

/**
 * One client at the gateway: sends at its pace, and resolves with the rate, in bytes a second, at which its bytes came back, which must be
 * identical.
 */
const client = ({ server, authorization }: Caller, seconds: number): Promise<number> =>
  new Promise((resolve, reject) => {
    const query = `streamConfigurationTemplateId=${PING}&format=RAW`;
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}/ws-gateway/api/v1?${query}`, { headers: { authorization } });
    const [sent, received] = [createHash('sha256'), createHash('sha256')];
    let [sentBytes, receivedBytes] = [0, 0];
    let complaint: string | null = null;
    let began = 0;
    const speak = async () => {
      began = performance.now();
      const total = CLIENT_BYTES_A_SECOND * seconds;
      while (sentBytes < total && socket.readyState === WebSocket.OPEN) {
        const due = ((performance.now() - began) / 1000) * CLIENT_BYTES_A_SECOND;
        for (; sentBytes < Math.min(due, total); sentBytes += CHUNK) {
          const chunk = randomBytes(CHUNK);
          sent.update(chunk);
          socket.send(chunk);
        }
        await new Promise((next) => setTimeout(next, (CHUNK / CLIENT_BYTES_A_SECOND) * 1000));
      }
      socket.send(JSON.stringify({ type: 'END_OF_STREAM' }));
    };
    socket.on('message', (data: Buffer, isBinary) => {
      if (isBinary) {
        received.update(data);
        receivedBytes += data.byteLength;
        return;
      }
      const text = data.toString();
      if (text.includes('"STREAM_METADATA"')) speak().catch(reject);
      else if (text.includes('"ERROR"')) complaint = text;
    });
    socket.once('error', reject);
    socket.once('close', () => {
      const same = receivedBytes === sentBytes && sent.digest('hex') === received.digest('hex');
      if (same && sentBytes > 0) resolve(receivedBytes / ((performance.now() - began) / 1000));
      else reject(new Error(complaint ?? `of ${sentBytes} bytes ${receivedBytes} came back, or others`));
    });
  });

/** Milliseconds from the first bytes of an upload to their message at a waiting reader. */
const firstMessage = async ({ server, authorization }: Caller): Promise<number> => {
  const id = crypto.randomUUID();
  const headers = { authorization };
  const reading = request(`${server.url}/egress-service/api/v1/egress/live?streams=${id}`, { headers });
  // The reader is connected and waits.
  await new Promise((resolve) => setTimeout(resolve, 100));
  let finish = (): void => {};
  const heard = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const began = performance.now();
  async function* body() {
    yield Buffer.from('the first bytes');
    await heard;
  }
  const uploading = request(`${server.url}/http-gateway/api/v1/upload?id=${id}&streamConfigurationTemplateId=${PING}`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/octet-stream' },
    body: Readable.from(body()),
  });
  const { body: messages } = await reading;
  let took = Number.NaN;
  for await (const _ of messages) {
    if (Number.isNaN(took)) took = performance.now() - began;
    finish();
  }
  await (await uploading).body.dump();
  return took;
};

/** Live use: clients that send at their pace and receive their echo, and the delay of the first bytes at a waiting reader. */
export const live = defineBench({
  name: 'live',
  bar: 0.9,
  run: async (compare, { full }) => {
    const server = await startTributary(join(benchDirectory(), 'data'), { MAX_CONCURRENT_STREAMS: '1000' });
    const [clients, seconds] = full ? [500, 30] : [100, 3];
    const caller = async (): Promise<Caller> => ({ server, authorization: `Bearer ${await accessToken(server.url)}` });
    const grown: number[] = [];
    await compare(`${clients} clients, 64 KiB/s each for ${seconds} s`, {
      unit: 'MiB/s',
      rounds: 5,
      ours: async () => {
        const by = await caller();
        await server.watch();
        const rates = await Promise.all(Array.from({ length: clients }, () => client(by, seconds)));
        grown.push((await server.tell()).memoryGrowth / MEBIBYTE);
        return rates.reduce((sum, one) => sum + one, 0) / MEBIBYTE;
      },
      // The rate that the clients send.
      baseline: async () => (clients * CLIENT_BYTES_A_SECOND) / MEBIBYTE,
      notes: () => ({ 'memory growth, worst round': `${Math.max(...grown).toFixed(0)} MiB` }),
    });
    const delays: number[] = [];
    await compare('first message at a reader who waits', {
      unit: '1/s',
      bar: 1,
      ours: async () => {
        const milliseconds = await firstMessage(await caller());
        delays.push(milliseconds);
        return 1000 / milliseconds;
      },
      // The rate that the bar requires.
      baseline: async () => 1000 / FIRST_MESSAGE_MILLISECONDS,
      notes: () => ({ slowest: `${Math.max(...delays.slice(1)).toFixed(0)} ms (bar ${FIRST_MESSAGE_MILLISECONDS})` }),
    });
    await server.stop();
  },
});

import { randomBytes } from 'node:crypto';
import { Pool } from 'undici';
import type { WebhookSink } from './webhookSink.ts';

const BODY = randomBytes(65_536);

/** One of the two servers that accept uploads, with its webhooks. */
export interface Contender {
  readonly pool: Pool;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly sink: WebhookSink;
  /** Processor time of all its processes since their start. */
  cpuMilliseconds(): Promise<number>;
}

/** Figures of one round: rates per second, processor time in milliseconds per upload. */
export interface Burst {
  readonly accepted: number;
  readonly finished: number;
  readonly cpu: number;
}

export const poolTo = (url: string, connections: number): Pool => new Pool(url, { connections, headersTimeout: 30_000 });

export const uploadOne = async ({ pool, path, headers }: Pick<Contender, 'pool' | 'path' | 'headers'>): Promise<void> => {
  const options = { method: 'POST', path, headers: { ...headers, 'content-type': 'application/octet-stream' }, body: BODY } as const;
  const { statusCode, body } = await pool.request(options);
  if (statusCode !== 200) throw new Error(`${statusCode}: ${await body.text()}`);
  await body.dump();
};

/** Uploads over all connections, each after the previous answer, and waits for all webhooks. */
export const burst = async (contender: Contender, count: number, connections: number): Promise<Burst> => {
  const { sink } = contender;
  const due = sink.received + count;
  const cpuBefore = await contender.cpuMilliseconds();
  const start = performance.now();
  const connection = async () => {
    for (let i = 0; i < count / connections; i += 1) await uploadOne(contender);
  };
  await Promise.all(Array.from({ length: connections }, connection));
  const accepted = (count / (performance.now() - start)) * 1_000;
  await sink.until(due);
  const finished = (count / (performance.now() - start)) * 1_000;
  return { accepted, finished, cpu: ((await contender.cpuMilliseconds()) - cpuBefore) / count };
};

/** Milliseconds of single uploads at rest. */
export interface Alone {
  readonly answer: number[];
  readonly webhook: number[];
}

/** One upload after another, each after the previous one's webhook. */
export const alone = async (contender: Contender, count: number): Promise<Alone> => {
  const { sink } = contender;
  const times: Alone = { answer: [], webhook: [] };
  for (let i = 0; i < count; i += 1) {
    const start = performance.now();
    const webhook = sink.until(sink.received + 1).then(() => times.webhook.push(performance.now() - start));
    await uploadOne(contender);
    times.answer.push(performance.now() - start);
    await webhook;
  }
  return times;
};

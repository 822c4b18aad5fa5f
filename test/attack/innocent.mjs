// A well-behaved tenant in its own process: uploads, reads and receives webhooks at a steady pace, and counts successes. Uploads do not wait for its reads.
import { createServer } from 'node:http';

const PACE_MILLISECONDS = 50;
const BODY = Buffer.alloc(10_000, 'a');
const [url = '', key = '', template = ''] = process.argv.slice(2);
const headers = { authorization: `Basic ${key}` };
/** Ids of acknowledged uploads. */
let acknowledged = [];
const none = () => ({ uploads: 0, reads: 0, lists: 0, webhooks: 0, failures: [] });
let counts = none();

const receiver = createServer((request, response) => {
  request.resume().on('end', () => {
    counts.webhooks += 1;
    response.writeHead(204).end();
  });
});
await new Promise((resolve) => receiver.listen(0, '127.0.0.1', resolve));

const ask = async (path, init = {}) => {
  const answer = await fetch(url + path, { ...init, headers: { ...headers, ...init.headers } });
  const text = await answer.text();
  if (!answer.ok) counts.failures.push(`${answer.status} ${path.slice(0, 60)}`);
  return answer.ok ? JSON.parse(text) : null;
};

/** The last accepted upload. */
let newest = null;

const uploadOne = async () => {
  const stream = await ask(`/http-gateway/api/v1/upload?streamConfigurationTemplateId=${template}`, {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream' },
    body: BODY,
  });
  if (!stream) return;
  counts.uploads += 1;
  acknowledged.push(stream.streamId);
  newest = stream.streamId;
};

const readOnce = async () => {
  if (newest && (await ask(`/stream-service/api/v1/streams/${newest}`))) counts.reads += 1;
  if (await ask('/stream-service/api/v1/streams?size=5')) counts.lists += 1;
};

/** Without an end. */
const repeat = async (round) => {
  for (;;) {
    const next = performance.now() + PACE_MILLISECONDS;
    await round().catch((error) => counts.failures.push(String(error.cause?.code ?? error)));
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, next - performance.now())));
  }
};

await ask('/notification-service/api/v1/webhook-endpoints', {
  method: 'PUT',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ url: `http://127.0.0.1:${receiver.address().port}/`, events: ['stream.completed'] }),
});
const isLost = async (id) => (await fetch(`${url}/stream-service/api/v1/streams/${id}`, { headers })).status !== 200;

const lost = async () => {
  const checked = acknowledged;
  acknowledged = [];
  const missing = [];
  for (const id of checked) if (await isLost(id)) missing.push(id);
  return missing;
};

process.on('message', async (message) => {
  if (message === 'lost') return process.send(await lost());
  process.send(counts);
  counts = none();
});
process.on('disconnect', () => process.exit(0));
process.send('begun');

await Promise.all([repeat(uploadOne), repeat(readOnce)]);

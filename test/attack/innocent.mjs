// A well-behaved tenant in its own process: uploads, reads and receives webhooks at a steady pace, and counts successes.
import { createServer } from 'node:http';

const PACE_MILLISECONDS = 50;
const BODY = Buffer.alloc(10_000, 'a');
const [url = '', key = '', template = ''] = process.argv.slice(2);
const headers = { authorization: `Basic ${key}` };
/** Ids of acknowledged uploads. */
let acknowledged = [];
let counts = { uploads: 0, reads: 0, webhooks: 0, failures: [] };

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

const round = async () => {
  try {
    const query = `streamConfigurationTemplateId=${template}`;
    const stream = await ask(`/http-gateway/api/v1/upload?${query}`, {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream' },
      body: BODY,
    });
    if (!stream) return;
    counts.uploads += 1;
    acknowledged.push(stream.streamId);
    if (await ask(`/stream-service/api/v1/streams/${stream.streamId}`)) counts.reads += 1;
    if (await ask('/stream-service/api/v1/streams?size=5')) counts.reads += 1;
  } catch (error) {
    counts.failures.push(String(error.cause?.code ?? error));
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
  counts = { uploads: 0, reads: 0, webhooks: 0, failures: [] };
});
process.on('disconnect', () => process.exit(0));
process.send('begun');

for (;;) {
  const next = performance.now() + PACE_MILLISECONDS;
  await round();
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, next - performance.now())));
}

import { once } from 'node:events';
import WebSocket from 'ws';
import { call, PING_TEMPLATE } from '../e2e/client.ts';
import { ADMIN_KEY } from '../e2e/server.ts';

/** Users' other actions: lists, exports, usage, live reads, WebSockets. Each is one call, named in its errors. */
export const READERS: readonly { readonly name: string; readonly does: (url: string, streamId: string) => Promise<boolean> }[] = [
  { name: 'list', does: (url) => answers(url, '/stream-service/api/v1/streams?state=COMPLETED&size=20') },
  { name: 'stream', does: (url, id) => answers(url, `/stream-service/api/v1/streams/${id}`) },
  { name: 'components', does: (url, id) => answers(url, `/stream-service/api/v1/streams/${id}/components`) },
  { name: 'export', does: (url, id) => answers(url, `/export-service/api/v1/export/EVENTS?streams=${id}`) },
  { name: 'usage', does: (url, id) => answers(url, `/usage-service/api/v1/usage/streams/${id}?currency=USD`) },
  { name: 'report', does: (url) => answers(url, '/usage-service/api/v1/usage/report?granularity=DAYS') },
  { name: 'endpoints', does: (url) => answers(url, '/notification-service/api/v1/webhook-endpoints') },
  { name: 'audit', does: (url) => answers(url, '/audit-service/api/v1/events?size=50') },
  { name: 'live', does: (url, id) => answers(url, `/egress-service/api/v1/egress/live?streams=${id}`) },
  { name: 'WebSocket', does: (url) => spoken(url) },
];

/** A stream that the reader has just seen may be deleted by now, so 204, 404 and 410 are valid answers. So is a limit of running streams. */
const answers = async (url: string, path: string): Promise<boolean> => {
  const { status } = await call(url, path);
  return status < 300 || status === 404 || status === 410 || status === 429 || status === 503;
};

/** Sends a few frames and waits until the server ends the session. */
const spoken = async (url: string): Promise<boolean> => {
  const address = `${url.replace('http', 'ws')}/ws-gateway/api/v1?streamConfigurationTemplateId=${PING_TEMPLATE}`;
  const socket = new WebSocket(address, { headers: { authorization: `Basic ${ADMIN_KEY}` } });
  const closed = once(socket, 'close');
  let ended = false;
  socket.on('message', (data) => {
    ended ||= data.toString().includes('"END_OF_STREAM"') || data.toString().includes('"ERROR"');
  });
  await once(socket, 'open');
  for (let n = 0; n < 4; n += 1) socket.send(Buffer.alloc(16_000, n));
  socket.send('{"type":"END_OF_STREAM"}');
  await closed;
  return ended;
};

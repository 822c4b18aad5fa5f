/**
 * A Tributary processor that turns text into upper case. Declare it with inputSchema "string" and outputSchema "string".
 * Settings: PORT (default 9000), HOST (default 127.0.0.1) and TRIBUTARY_PROCESSOR_SECRET, the secret that the declaration returned.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';

type Json = null | boolean | number | string | Json[] | { [member: string]: Json };

const { PORT = '9000', HOST = '127.0.0.1', TRIBUTARY_PROCESSOR_SECRET: SECRET = '' } = process.env;
const TOLERANCE_SECONDS = 300;

/** This is yours to change: input in, output out. */
const process_ = (input: string, properties: { [member: string]: Json }): string =>
  properties.lower === true ? input.toLowerCase() : input.toUpperCase();

const header = (headers: IncomingHttpHeaders, name: string): string => String(headers[name] ?? '');

/** The properties of the stage as canonical JSON. */
const propertiesText = (headers: IncomingHttpHeaders): string =>
  Buffer.from(header(headers, 'tributary-properties'), 'base64url').toString() || '{}';

const propertiesOf = (headers: IncomingHttpHeaders): { [member: string]: Json } => JSON.parse(propertiesText(headers));

/** Checks the Standard Webhooks signature. It covers the head of the run as canonical JSON, because the body is a stream. */
const isSigned = (headers: IncomingHttpHeaders): boolean => {
  if (SECRET === '') return true;
  const runId = header(headers, 'tributary-run-id');
  const [id, timestamp] = [header(headers, 'webhook-id'), header(headers, 'webhook-timestamp')];
  if (id !== runId || Math.abs(Date.now() / 1000 - Number(timestamp)) > TOLERANCE_SECONDS) return false;
  propertiesOf(headers);
  const attempt = Number(header(headers, 'tributary-attempt'));
  const quoted = (name: string) => JSON.stringify(header(headers, name));
  // The properties are already canonical, and were signed in this form.
  const properties = propertiesText(headers);
  const ids = `"runId":${quoted('tributary-run-id')},"streamId":${quoted('tributary-stream-id')}`;
  const head = `{"attempt":${attempt},"processor":${quoted('tributary-processor')},"properties":${properties},${ids}}`;
  const key = Buffer.from(SECRET.replace(/^whsec_/, ''), 'base64');
  const expected = Buffer.from(`v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${head}`).digest('base64')}`);
  return header(headers, 'webhook-signature')
    .split(' ')
    .some((one) => one.length === expected.length && timingSafeEqual(Buffer.from(one), expected));
};

const server = createServer(async (request, response) => {
  if (request.method !== 'POST') return void response.writeHead(405).end('this processor takes POST\n');
  try {
    const input = await text(request);
    if (!isSigned(request.headers)) return void response.writeHead(401).end('wrong signature\n');
    const lines = [{ output: process_(input, propertiesOf(request.headers)) }, { end: true }];
    response.writeHead(200, { 'content-type': 'application/x-ndjson' }).end(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  } catch {
    response.writeHead(400).end('bad request\n');
  }
});
server.listen(Number(PORT), HOST, () => console.log(`processor ready http://${HOST}:${PORT}`));

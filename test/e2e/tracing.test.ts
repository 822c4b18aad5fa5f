import { expect, test } from 'vitest';
import { parseTraceparent } from '../../src/traceContext.ts';
import { eventually } from '../eventually.ts';
import { chatAnswer, startStubEngine } from '../fakes/engineServer.ts';
import { TraceReceiver } from '../fakes/traceReceiver.ts';
import { Receiver } from '../receiver.ts';
import { call, streamEnd, TEXT_TEMPLATE, upload } from './client.ts';
import { isClusterForm } from './clusterForm.ts';
import { type ServerOptions, startServer } from './server.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';
const TRACEPARENT = `00-${TRACE}-${SPAN}-01`;

/** One stream that uses an engine and a webhook, started by a request with `headers`. */
const oneStream = async (environment: ServerOptions['environment'], headers: Readonly<Record<string, string>>) => {
  const [chat, hook] = await Promise.all([startStubEngine(), Receiver.start()]);
  chat.always(chatAnswer('They greet.'));
  const server = await startServer({ environment: { LLM_URL: chat.url, WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8', ...environment } });
  const query = {
    streamConfigurationTemplateId: TEXT_TEMPLATE,
    persist: 'true',
    summary: 'true',
    'webhook.stream.completed': hook.url('/hook'),
  };
  const made = await upload(server.url, query, 'Hello there. This is a text.', { headers });
  expect((await streamEnd(server.url, made.body.streamId)).stateDescription).toBeNull();
  const told = await eventually(() => hook.received[0] ?? false);
  const events = (await call(server.url, `/audit-service/api/v1/events?eventStream=stream-${made.body.streamId}&order=asc`)).body.content;
  const correlations = new Set(events.map(({ metadata }: { metadata: Record<string, unknown> }) => metadata.$correlationId));
  const seen = { streamId: made.body.streamId as string, correlationId: made.headers.get('x-correlation-id'), correlations };
  const passedOn = { engine: chat.calls[0]?.headers.traceparent, hook: told.headers.traceparent };
  const log = server.log();
  expect(await server.stop()).toBe(0);
  await Promise.all([chat.close(), hook.close()]);
  return { ...seen, ...passedOn, log, events };
};

test("a caller's trace names the request and all its events, and is passed on to engines and webhooks", async () => {
  const { correlationId, correlations, engine, hook, log, events } = await oneStream({}, { traceparent: TRACEPARENT });
  expect(correlationId).toBe(TRACE);
  expect(events.map(({ type }: { type: string }) => type)).toContain('ProcessorCompleted');
  expect([...correlations]).toEqual([TRACE]);
  for (const passed of [engine, hook]) {
    expect(parseTraceparent(String(passed))?.traceId).toBe(TRACE);
    expect(parseTraceparent(String(passed))?.spanId).not.toBe(SPAN);
  }
  const lines = log
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.find(({ operation }) => operation === 'upload')).toMatchObject({ correlationId: TRACE, status: 200 });
});

test('spans of a request, its appends, its runs and its deliveries are sent to the configured receiver', async () => {
  const receiver = await TraceReceiver.start();
  const environment = {
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-api-key=se%20cret',
    OTEL_SERVICE_NAME: 'tributary-test',
  };
  const { streamId, engine, hook, log } = await oneStream(environment, { traceparent: TRACEPARENT });
  const spans = receiver.spans.filter(({ traceId }) => traceId === TRACE);
  const named = (name: string) => spans.find((span) => span.name === name);
  const request = named('POST /http-gateway/api/v1/upload');
  expect(request).toMatchObject({ parentSpanId: SPAN, attributes: { 'http.response.status_code': 200, 'http.request.method': 'POST' } });
  // Only the request's node knows the span that started it; on another, later work is in the same trace.
  const beneath = isClusterForm ? { traceId: TRACE } : { parentSpanId: request?.spanId };
  const run = named('run LLM_PROCESSING');
  expect(run).toMatchObject({ ...beneath, attributes: { 'tributary.stream_id': streamId } });
  expect(parseTraceparent(String(engine))?.spanId).toBe(run?.spanId);
  const delivery = named('deliver stream.completed');
  expect(delivery).toMatchObject({ ...beneath, attributes: { 'http.response.status_code': 204 } });
  expect(parseTraceparent(String(hook))?.spanId).toBe(delivery?.spanId);
  const appends = spans.filter(({ name }) => /^append .*stream/.test(name));
  const appended = appends.flatMap(({ attributes }) => String(attributes['tributary.event_types']).split(','));
  expect(appended).toEqual(expect.arrayContaining(['StreamCreated', 'UploadCompleted']));
  expect(spans.every(({ status }) => status.code === undefined || status.code === 0)).toBe(true);
  expect(receiver.resources[0]).toMatchObject({ 'service.name': 'tributary-test' });
  expect(receiver.headers[0]).toMatchObject({ 'x-api-key': 'se cret', 'user-agent': expect.stringMatching(/^Tributary\/\d/) });
  // Separate requests, by id.
  expect(receiver.spans.some(({ name, traceId }) => name === 'GET /stream-service/api/v1/streams/{streamId}' && traceId !== TRACE)).toBe(
    true,
  );
  expect(log).not.toContain('se cret');
  await receiver.close();
});

test('a receiver that is away affects only its spans', async () => {
  const { correlations } = await oneStream({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' }, { 'x-correlation-id': 'order-17' });
  expect([...correlations]).toEqual(['order-17']);
});

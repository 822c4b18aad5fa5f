import { LRUCache } from 'lru-cache';
import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import { decodedOrSame } from '../percent.ts';
import { within } from '../supervision/within.ts';
import { traceIdOf, traceparentOf } from '../traceContext.ts';
import { noTracing, type Span, type SpanStart, type Tracing } from '../tracing.ts';

export interface TracingSettings {
  /** Base address of an OTLP receiver (usually port 4318); `/v1/traces` is appended. With `null`, tracing is neither loaded nor recorded. */
  readonly endpoint: string | null;
  /** `name=value` pairs, comma-separated, values percent-encoded. */
  readonly headers: string;
  readonly serviceName: string;
  readonly version: string;
  /** The SDK appends its own. */
  readonly userAgent: string;
}

const REMEMBERED_REQUESTS = 10_000;
const CLOSING_MILLISECONDS = 2_000;

/** OpenTelemetry's SDK, loaded only if a receiver is set. */
export const openTracing = async (settings: TracingSettings, { clock, logger }: { clock: Clock; logger: Logger }): Promise<Tracing> => {
  const { endpoint, headers, serviceName, version, userAgent } = settings;
  if (endpoint === null) return noTracing;
  const [api, sdk, { resourceFromAttributes }, { OTLPTraceExporter }] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/resources'),
    import('@opentelemetry/exporter-trace-otlp-http'),
  ]);
  const say = (message: string): void => logger.warn({ detail: message.slice(0, 500) }, 'traces are not exported');
  api.diag.setLogger({ error: say, warn: say, info() {}, debug() {}, verbose() {} }, api.DiagLogLevel.WARN);
  const ids = new GivenTraceIds(new sdk.RandomIdGenerator());
  const provider = new sdk.TracerProvider({
    resource: resourceFromAttributes({ 'service.name': serviceName, 'service.version': version, 'service.instance.id': `${process.pid}` }),
    idGenerator: ids,
    spanProcessors: [
      new sdk.BatchSpanProcessor({
        exporter: new OTLPTraceExporter({ url: `${endpoint}/v1/traces`, headers: parseHeaders(headers), userAgent }),
      }),
    ],
  });
  return new OpenTelemetryTracing(api, provider, ids, clock);
};

/** A span without a parent gets the trace id derived from its correlation id. The SDK asks for the id while it creates the span. */
class GivenTraceIds {
  readonly #random: { generateTraceId(): string; generateSpanId(): string };
  next: string | null = null;

  constructor(random: { generateTraceId(): string; generateSpanId(): string }) {
    this.#random = random;
  }

  generateTraceId = (): string => this.next ?? this.#random.generateTraceId();
  generateSpanId = (): string => this.#random.generateSpanId();
}

type Api = typeof import('@opentelemetry/api');
type SpanContext = import('@opentelemetry/api').SpanContext;

class OpenTelemetryTracing implements Tracing {
  readonly on = true;
  readonly #api: Api;
  readonly #provider: { shutdown(): Promise<void> };
  readonly #tracer: import('@opentelemetry/api').Tracer;
  readonly #ids: GivenTraceIds;
  readonly #clock: Clock;
  /** The newest request on this node by correlation id. */
  readonly #requests = new LRUCache<string, SpanContext>({ max: REMEMBERED_REQUESTS });

  constructor(
    api: Api,
    provider: InstanceType<typeof import('@opentelemetry/sdk-trace').TracerProvider>,
    ids: GivenTraceIds,
    clock: Clock,
  ) {
    this.#api = api;
    this.#provider = provider;
    this.#tracer = provider.getTracer('tributary');
    this.#ids = ids;
    this.#clock = clock;
  }

  begin({ name, kind, correlationId, parent, attributes }: SpanStart): Span {
    const { ROOT_CONTEXT, trace, SpanKind, SpanStatusCode } = this.#api;
    const above = parent ? remote(parent) : this.#requests.get(correlationId);
    const context = above ? trace.setSpanContext(ROOT_CONTEXT, above) : ROOT_CONTEXT;
    this.#ids.next = traceIdOf(correlationId);
    const span = this.#tracer.startSpan(
      name,
      {
        kind: { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL }[kind],
        attributes: { ...attributes, 'tributary.correlation_id': correlationId },
      },
      context,
    );
    const own = span.spanContext();
    if (kind === 'server') this.#requests.set(correlationId, own);
    return {
      traceparent: traceparentOf({ ...own, sampled: (own.traceFlags & 1) === 1 }),
      end: ({ name: better, attributes: more = {}, failed = null } = {}) => {
        if (better !== undefined) span.updateName(better);
        span.setAttributes(more);
        if (failed !== null) span.setStatus({ code: SpanStatusCode.ERROR, message: failed });
        span.end();
      },
    };
  }

  async close(): Promise<void> {
    await within(
      this.#clock,
      CLOSING_MILLISECONDS,
      this.#provider.shutdown().catch(() => {}),
    );
  }
}

const remote = ({ traceId, spanId, sampled }: { traceId: string; spanId: string; sampled: boolean }): SpanContext => ({
  traceId,
  spanId,
  traceFlags: sampled ? 1 : 0,
  isRemote: true,
});

/** The settings have checked its format. */
const parseHeaders = (text: string): Record<string, string> =>
  Object.fromEntries(
    text
      .split(',')
      .map((pair) => pair.split('='))
      .filter(([name]) => name !== undefined && name.trim() !== '')
      .map(([name = '', ...value]) => [name.trim(), decodedOrSame(value.join('=').trim())]),
  );

import { Piscina } from 'piscina';
import type { Clock } from '../../clock.ts';
import { Problem } from '../../domain/problem.ts';
import type { Limits } from '../../limits.ts';
import type { Topics } from '../../stores/topics.ts';
import { RequestEnd } from '../limits/requestEnd.ts';
import { RequestPlaces } from '../limits/requestPlaces.ts';
import type { ApiRequest, ApiResponse } from '../server/route.ts';
import type { ExportJob } from './exportThread.ts';
import { type CollectedFormat, formatted, type SinkContent } from './formatted.ts';
import { bytesIn, framesOf, type Sink } from './sinks.ts';

export interface CollectedExportDeps {
  readonly topics: Pick<Topics, 'read' | 'size'>;
  readonly clock: Pick<Clock, 'pause'>;
  readonly config: Pick<Limits, 'exportMaxBytes' | 'maxExports' | 'maxWaitingRequests'>;
}

// A thread cannot load TypeScript: from sources (the tests), it is the compiled one.
const THREAD = new URL(
  import.meta.url.endsWith('.ts') ? '../../../dist/http/export/exportThread.js' : './exportThread.js',
  import.meta.url,
);
const MEBIBYTE = 1_048_576;
/** Making a smaller export takes less than some 20 ms. */
const INLINE_BYTES = MEBIBYTE;
/** Heap of a thread: parsed results take up to six times their bytes. */
const heapFor = (exportMaxBytes: number): number => 128 + Math.ceil((6 * exportMaxBytes) / MEBIBYTE);
const LONGEST_WAIT_S = 600;
const PIECE_BYTES = 65_536;
const NEWLINE = Buffer.from('\n');
const CONTENT_TYPES = {
  JSON: 'application/json',
  TEXT: 'text/plain; charset=utf-8',
  SRT: 'application/x-subrip',
  VTT: 'text/vtt',
} as const;

type Request = Pick<ApiRequest, 'caller' | 'outgoing' | 'place' | 'signal'>;

/** Exports in formats that are collected before they are sent. Small ones are made at once, others in threads, `MAX_EXPORTS` at a time. */
export class CollectedExports {
  readonly #deps: CollectedExportDeps;
  readonly #threads: Piscina<ExportJob, Uint8Array | null>;
  /** An export keeps its place until it has been read: its text waits in memory. A user has one, so that slow readers delay only their own. */
  readonly #places: RequestPlaces;

  constructor(deps: CollectedExportDeps) {
    const { maxExports, exportMaxBytes, maxWaitingRequests } = deps.config;
    this.#deps = deps;
    this.#threads = new Piscina({
      filename: THREAD.href,
      minThreads: 0,
      maxThreads: maxExports,
      idleTimeout: 10_000,
      resourceLimits: { maxOldGenerationSizeMb: heapFor(exportMaxBytes) },
    });
    const limits = {
      maxRequestsPerUser: 1,
      maxRequestsPerAddress: 1,
      maxRequests: maxExports,
      maxWaitingRequests,
      requestWaitS: LONGEST_WAIT_S,
    };
    this.#places = new RequestPlaces(limits, deps.clock);
  }

  /** Answers with the results of the sinks of each stream. Rejects with 400 if they are larger than `EXPORT_MAX_BYTES`. */
  async answer(format: CollectedFormat, streams: readonly (readonly Sink[])[], request: Request): Promise<ApiResponse> {
    const bytes = await bytesIn(this.#deps.topics, streams.flat());
    if (bytes > this.#deps.config.exportMaxBytes) throw tooLarge(format);
    const contentType = CONTENT_TYPES[format];
    if (bytes <= INLINE_BYTES) {
      const body = formatted(format, await this.#contents(streams, request.signal));
      return body === null ? NOTHING : { status: 200, contentType, body };
    }
    const { caller, outgoing, place } = request;
    await place.outside(() => this.#places.ofUser(caller.subject, new RequestEnd(outgoing)));
    const content = await this.#inThread(format, await this.#contents(streams, request.signal), request.signal);
    return content === null ? NOTHING : { status: 200, contentType, chunks: piecesOf(content) };
  }

  async #contents(streams: readonly (readonly Sink[])[], signal: AbortSignal): Promise<SinkContent[][]> {
    const contents: SinkContent[][] = [];
    for (const sinks of streams) {
      const ofStream: SinkContent[] = [];
      for (const sink of sinks) ofStream.push({ sink, lines: await this.#linesOf(sink, signal) });
      contents.push(ofStream);
    }
    return contents;
  }

  async #linesOf({ processor }: Sink, signal: AbortSignal): Promise<Uint8Array<ArrayBuffer>> {
    const pieces: Uint8Array[] = [];
    for await (const { data } of framesOf(this.#deps.topics, processor.destination.topic, signal)) pieces.push(data, NEWLINE);
    return Buffer.concat(pieces);
  }

  async #inThread(format: CollectedFormat, streams: readonly (readonly SinkContent[])[], signal: AbortSignal): Promise<Uint8Array | null> {
    // A small buffer shares its memory with others, and is copied.
    const own = streams.flat().flatMap(({ lines: { buffer, byteLength } }) => (buffer.byteLength === byteLength ? buffer : []));
    try {
      return await this.#threads.run({ format, streams }, { signal, transferList: own });
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY') throw tooLarge(format);
      throw error;
    }
  }
}

const NOTHING: ApiResponse = { status: 204 };

async function* piecesOf(content: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < content.length; at += PIECE_BYTES) yield content.subarray(at, at + PIECE_BYTES);
}

const tooLarge = (format: CollectedFormat): Problem =>
  new Problem('GENERAL_BAD_REQUEST_ERROR', `These results are too large for ${format}. Use EVENTS, which has no limit.`);

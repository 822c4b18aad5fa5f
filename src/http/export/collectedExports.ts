import { Piscina } from 'piscina';
import type { Clock } from '../../clock.ts';
import { Problem } from '../../domain/problem.ts';
import { topicId } from '../../domain/stream/streamConfiguration.ts';
import type { Limits } from '../../limits.ts';
import { bytesIn, type Sink } from '../../results/sinks.ts';
import { TopicMissing, type Topics } from '../../stores/topics.ts';
import { RequestEnd } from '../limits/requestEnd.ts';
import { RequestPlaces } from '../limits/requestPlaces.ts';
import { type CollectedFormat, FILE_TYPES } from '../route/fileTypes.ts';
import type { ApiRequest, ApiResponse } from '../route/route.ts';
import type { ExportJob } from './exportThread.ts';
import { type FormatOptions, formatted, type SinkContent } from './formats/formatted.ts';

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
/** Corrections of transcripts that are applied at once. */
const INLINE_EDITS = 20;
const LONGEST_WAIT_S = 600;
const PIECE_BYTES = 65_536;
const NEWLINE = Buffer.from('\n');

type Request = Pick<ApiRequest, 'caller' | 'outgoing' | 'place' | 'signal'>;

/** A file to make. */
export interface WantedFile {
  readonly format: CollectedFormat;
  /** The sinks of each stream. */
  readonly streams: readonly (readonly Sink[])[];
  readonly options: FormatOptions;
}

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

  /** Answers with a file, or 204 if there is nothing in it. Rejects with 400 if its results are larger than `EXPORT_MAX_BYTES`. */
  async answer(file: WantedFile, request: Request): Promise<ApiResponse> {
    const { contentType } = FILE_TYPES[file.format];
    if (await this.#isSmall(file)) {
      const body = await this.#made(file, request.signal);
      return body === null ? NOTHING : { status: 200, contentType, body };
    }
    await this.enter(request);
    const content = await this.#inThread(file, request.signal);
    return content === null ? NOTHING : { status: 200, contentType, chunks: piecesOf(content) };
  }

  /** Waits for a place among the exports that are made. It is left when the answer has been read. */
  async enter({ caller, outgoing, place }: Request): Promise<void> {
    await place.outside(() => this.#places.ofUser(caller.subject, new RequestEnd(outgoing)));
  }

  /** Rejects with 400 if the results of a file are larger than `EXPORT_MAX_BYTES`. */
  async check({ format, streams }: WantedFile): Promise<number> {
    const bytes = await bytesIn(this.#deps.topics, streams.flat());
    if (bytes > this.#deps.config.exportMaxBytes) throw tooLarge(format);
    return bytes;
  }

  /** The content of a file, for a request with a place; `null` if there is nothing in it. */
  async content(file: WantedFile, signal: AbortSignal): Promise<Uint8Array | null> {
    if (!(await this.#isSmall(file))) return this.#inThread(file, signal);
    const made = await this.#made(file, signal);
    return typeof made === 'string' ? Buffer.from(made) : made;
  }

  /** A Word document takes long to make, however small it is, and so do many corrections. */
  async #isSmall(file: WantedFile): Promise<boolean> {
    const edits = file.streams.flat().reduce((sum, { corrections }) => sum + (corrections?.edits.length ?? 0), 0);
    return (await this.check(file)) <= INLINE_BYTES && file.format !== 'DOCX' && edits <= INLINE_EDITS;
  }

  async #made({ format, streams, options }: WantedFile, signal: AbortSignal): Promise<string | Uint8Array | null> {
    return formatted(format, await this.#contents(streams, signal), options);
  }

  async #contents(streams: readonly (readonly Sink[])[], signal: AbortSignal): Promise<SinkContent[][]> {
    const contents: SinkContent[][] = [];
    for (const sinks of streams) {
      const ofStream: SinkContent[] = [];
      for (const sink of sinks) {
        const lines = await this.#linesOf(sink, signal);
        if (lines) ofStream.push({ sink, lines });
      }
      if (ofStream.length > 0) contents.push(ofStream);
    }
    return contents;
  }

  /** `null` if they have been deleted: the read model may not show it yet, and an empty text would look like a result. */
  async #linesOf({ processor }: Sink, signal: AbortSignal): Promise<Uint8Array<ArrayBuffer> | null> {
    const pieces: Uint8Array[] = [];
    try {
      for await (const { data } of this.#deps.topics.read(topicId(processor.destination.topic), { signal })) pieces.push(data, NEWLINE);
    } catch (error) {
      if (error instanceof TopicMissing) return null;
      throw error;
    }
    return Buffer.concat(pieces);
  }

  async #inThread({ format, options, ...wanted }: WantedFile, signal: AbortSignal): Promise<Uint8Array | null> {
    const streams = await this.#contents(wanted.streams, signal);
    // A small buffer shares its memory with others, and is copied.
    const own = streams.flat().flatMap(({ lines: { buffer, byteLength } }) => (buffer.byteLength === byteLength ? buffer : []));
    try {
      return await this.#threads.run({ format, streams, options }, { signal, transferList: own });
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

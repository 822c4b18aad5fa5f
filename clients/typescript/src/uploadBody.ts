/** Bodies that can be uploaded. */
export type UploadBody = string | Uint8Array | ArrayBuffer | Blob | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>;

export interface Progress {
  /** Bytes sent so far. */
  readonly sent: number;
  /** Length of the body; null for a stream of unknown length. */
  readonly total: number | null;
}

export const sizeOf = (body: UploadBody): number | null => {
  if (typeof body === 'string') return new TextEncoder().encode(body).byteLength;
  if (body instanceof Blob) return body.size;
  return body instanceof Uint8Array || body instanceof ArrayBuffer ? body.byteLength : null;
};

/** Largest piece that is sent at once, so that progress is reported in steps. */
const PIECE_BYTES = 65_536;

async function* piecesOf(body: UploadBody): AsyncGenerator<Uint8Array> {
  for await (const bytes of chunksOf(body)) yield* slices(bytes);
}

async function* chunksOf(body: UploadBody): AsyncGenerator<Uint8Array> {
  if (typeof body === 'string') yield new TextEncoder().encode(body);
  else if (body instanceof ArrayBuffer) yield new Uint8Array(body);
  else if (body instanceof Uint8Array) yield body;
  else if (body instanceof Blob) yield* readFrom(body.stream());
  else if ('getReader' in body) yield* readFrom(body);
  else yield* body;
}

function* slices(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.byteLength; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES);
}

/** Not every browser can iterate over a stream. */
async function* readFrom(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

/** The body as a stream that is read at the pace of the network and reports its progress. */
export const streamOf = (
  body: UploadBody,
  onProgress: (progress: Progress) => void,
  signal: AbortSignal | undefined,
): ReadableStream<Uint8Array> => {
  const total = sizeOf(body);
  const pieces = piecesOf(body);
  let sent = 0;
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        signal?.throwIfAborted();
        const { done, value } = await pieces.next();
        if (done) return controller.close();
        controller.enqueue(value);
        sent += value.byteLength;
        onProgress({ sent, total });
      },
      cancel: async () => {
        await pieces.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
};

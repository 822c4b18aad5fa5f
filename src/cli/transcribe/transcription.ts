import { v5 } from 'uuid';
import { type Stream, type Tributary, TributaryError } from '#client';
import type { Server } from './connection.ts';
import type { Content } from './content.ts';
import { FORMATS, type Format, WITH_SUMMARY } from './formats.ts';
import { type CommonSettings, uploadKey } from './settings.ts';

/** A try of some content with some settings: its key, and the id of its stream, which the server computes in the same way. */
export interface Try {
  readonly key: string;
  readonly streamId: string;
  /** `null` if it has not begun. */
  readonly stream: Stream | null;
}

/** The tries from the first one on. Those that have begun come first. */
export async function* triesOf({ tributary, subject }: Server, content: string, settings: CommonSettings): AsyncGenerator<Try> {
  for (let attempt = 1; ; attempt++) {
    const key = uploadKey(content, settings, attempt);
    const streamId = v5(key, Buffer.from(subject.replaceAll('-', ''), 'hex'));
    yield { key, streamId, stream: await streamOrNull(tributary, streamId) };
  }
}

const streamOrNull = async (tributary: Tributary, streamId: string): Promise<Stream | null> => {
  try {
    return await tributary.stream(streamId);
  } catch (error) {
    if (error instanceof TributaryError && error.status === 404) return null;
    throw error;
  }
};

/** The settings of one upload. */
export interface Sending {
  readonly key: string;
  /** Name of the outputs: the stream keeps it. */
  readonly name: string;
  readonly fileName: string;
  readonly settings: CommonSettings;
  readonly onSent: (bytes: number) => void;
  readonly signal: AbortSignal;
}

export const send = (tributary: Tributary, content: Content, { key, name, fileName, settings, onSent, signal }: Sending): Promise<Stream> =>
  tributary.upload({
    ...settings,
    name,
    fileName,
    idempotencyKey: key,
    contentType: content.contentType,
    body: content.body(),
    onProgress: ({ sent }) => onSent(sent),
    signal,
  });

/** Waits until a stream has ended, and returns its results in each format. `null` where the stream has none. */
export const resultsOf = async (
  tributary: Tributary,
  streamId: string,
  { formats, summary }: { readonly formats: readonly Format[]; readonly summary: boolean },
  signal: AbortSignal,
): Promise<(Uint8Array | null)[]> => {
  const results: (Uint8Array | null)[] = [];
  for (const format of formats) results.push(await exported(tributary, streamId, format, summary && WITH_SUMMARY.includes(format), signal));
  return results;
};

const exported = async (
  tributary: Tributary,
  streamId: string,
  format: Format,
  summary: boolean,
  signal: AbortSignal,
): Promise<Uint8Array | null> => {
  for (;;) {
    try {
      const { data, response } = await tributary.http.GET('/export-service/api/v1/export/{format}', {
        params: { path: { format: FORMATS[format] }, query: { streams: [streamId], ...(summary && { summary }) } },
        parseAs: 'arrayBuffer',
        signal,
      });
      // An empty text has no body.
      if (response.status === 200) return ended(format, new Uint8Array(data ?? new ArrayBuffer()));
      return null;
    } catch (error) {
      // The server waits for the end of the stream for a while only.
      if (!(error instanceof TributaryError) || error.internalErrorName !== 'GENERAL_TIME_OUT_ERROR') throw error;
    }
  }
};

const NEWLINE = 0x0a;

/** A text ends with a newline, as editors and terminals expect. */
const ended = (format: Format, bytes: Uint8Array): Uint8Array =>
  format !== 'txt' || bytes.at(-1) === NEWLINE ? bytes : Buffer.concat([bytes, Buffer.of(NEWLINE)]);

import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EnvHttpProxyAgent, fetch } from 'undici';
import { USER_AGENT } from '../../userAgent.ts';
import type { PublishedModel } from './publishedModels.ts';

const CONNECT_MILLISECONDS = 10_000;
/** A transfer without a byte for this long counts as cut. */
const SILENT_MILLISECONDS = 30_000;

/** Why a source cannot provide a file: it is unreachable or does not have it. Another source may. */
export class SourceUnavailable extends Error {
  override readonly name = 'SourceUnavailable';
}

/** Bytes of a file from `from` on. `from` is 0 if the source cannot start in the middle. */
export interface Transfer {
  readonly from: number;
  readonly pieces: AsyncIterable<Uint8Array>;
}

/** A source of model files. */
export interface ModelSource {
  /** For messages. */
  readonly label: string;
  /** Throws `SourceUnavailable`. A broken transfer throws while it is read. */
  open(model: string, file: string, from: number): Promise<Transfer>;
}

const folderSource = (folder: string): ModelSource => ({
  label: folder,
  open: async (model, file, from) => {
    const path = join(folder, model, file);
    const found = await stat(path).catch(() => null);
    if (found === null || !found.isFile()) throw new SourceUnavailable(`${path} does not exist`);
    return { from, pieces: createReadStream(path, { start: from, highWaterMark: 2 ** 20 }) };
  },
});

const reasonOf = (error: unknown): string => {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return String(cause);
  if (cause.name === 'TimeoutError' || cause.message.includes('Timeout')) return `no answer within ${CONNECT_MILLISECONDS / 1_000} s`;
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message;
};

/** Respects HTTPS_PROXY, HTTP_PROXY and NO_PROXY. */
const openUrl = async (url: string, from: number): Promise<Transfer> => {
  const dispatcher = new EnvHttpProxyAgent({ connect: { timeout: CONNECT_MILLISECONDS }, bodyTimeout: SILENT_MILLISECONDS });
  const connecting = new AbortController();
  const timer = setTimeout(() => connecting.abort(new DOMException('no answer', 'TimeoutError')), CONNECT_MILLISECONDS);
  const headers = { 'user-agent': USER_AGENT, 'accept-encoding': 'identity', ...(from > 0 ? { range: `bytes=${from}-` } : {}) };
  const response = await fetch(url, { dispatcher, headers, signal: connecting.signal })
    .catch((error: unknown) => {
      throw new SourceUnavailable(`${new URL(url).host} cannot be reached (${reasonOf(error)})`);
    })
    .finally(() => clearTimeout(timer));
  if (response.status !== 200 && response.status !== 206) {
    await response.body?.cancel();
    // The part on disk no longer matches the file.
    if (response.status === 416 && from > 0) return openUrl(url, 0);
    throw new SourceUnavailable(`${url} answered ${response.status}`);
  }
  if (response.body === null) throw new SourceUnavailable(`${url} answered without a body`);
  const resumed = response.status === 206 && response.headers.get('content-range')?.startsWith(`bytes ${from}-`) === true;
  return { from: resumed ? from : 0, pieces: response.body };
};

const urlSource = (base: string): ModelSource => ({
  label: base,
  open: (model, file, from) => openUrl(`${base}/${encodeURIComponent(model)}/${encodeURIComponent(file)}`, from),
});

/** The Hugging Face hub, at the known revision. */
export const hubSource = ({ repository, revision }: PublishedModel): ModelSource => ({
  label: 'huggingface.co',
  open: (_, file, from) => openUrl(`https://huggingface.co/${repository}/resolve/${revision}/${encodeURIComponent(file)}`, from),
});

/** MODELS_URL: a base URL, or a folder as a path or a `file:` URL. */
export const configuredSource = (modelsUrl: string): ModelSource => {
  if (/^https?:/i.test(modelsUrl)) return urlSource(modelsUrl);
  return folderSource(/^file:/i.test(modelsUrl) ? fileURLToPath(modelsUrl) : modelsUrl);
};

import { type DetailedError, type HttpRequest, Upload } from 'tus-js-client';
import { proof } from '../shell/session.ts';
import { addressOf } from './address.ts';
import { ApiError, errorOfBody, unreachable } from './errors.ts';
import { forgetUpload, keepUpload } from './keptUploads.ts';
import { patchHeaders, type UploadSettings, webhookQuery } from './uploadSettings.ts';

const TUS = '/http-gateway/api/v1/tus';
const MEBIBYTE = 1_048_576;
/** Above it, an upload can be continued. Also the largest body of one request, below the limits of most proxies. */
const LARGE_BYTES = 32 * MEBIBYTE;
/** A day of tries without progress, which is as long as the server keeps the upload by default. */
const RETRY_MILLISECONDS = [1_000, 2_000, 4_000, 8_000, ...Array.from({ length: 5_760 }, () => 15_000)];

export const isLarge = ({ size }: Blob): boolean => size > LARGE_BYTES;

export interface ResumableUpload extends UploadSettings {
  readonly streamId: string;
  readonly templateId: string;
  readonly file: File;
  /** Of an earlier try. */
  readonly location: string | undefined;
  readonly onProgress: (sent: number, total: number) => void;
  readonly signal: AbortSignal;
}

/**
 * Sends a file so that the upload continues after a lost connection, or on a reloaded page (tus). Resolves when its stream exists. Rejects with `ApiError`,
 * or with the signal's reason after deleting what has been sent.
 */
export const sendResumably = ({ streamId, templateId, file, location, onProgress, signal, ...settings }: ResumableUpload): Promise<void> =>
  new Promise((resolve, reject) => {
    const upload = new Upload(file, {
      ...(location === undefined
        ? { endpoint: addressOf(TUS, { ...settings.query, ...webhookQuery(settings.webhooks), fileName: file.name }) }
        : { uploadUrl: location }),
      // A creation whose answer was lost is repeated under the same key.
      headers: { ...patchHeaders(settings.patches), ...(location === undefined && { 'Idempotency-Key': streamId }) },
      chunkSize: LARGE_BYTES,
      retryDelays: RETRY_MILLISECONDS,
      storeFingerprintForResuming: false,
      onBeforeRequest: prove,
      onShouldRetry: (error) => !isRefusal(error),
      onUploadUrlAvailable: () =>
        keepUpload({ location: new URL(upload.url ?? '', document.baseURI).pathname, streamId, templateId }, file),
      onProgress,
      onSuccess: () => {
        forgetUpload(streamId);
        resolve();
      },
      onError: (error) => {
        forgetUpload(streamId);
        reject(apiErrorOf(error));
      },
    });
    signal.addEventListener('abort', () => {
      forgetUpload(streamId);
      reject(signal.reason);
      // What the server cannot be told to delete now expires there.
      upload.abort(true).catch(() => {});
    });
    upload.start();
  });

/** Deletes what has been sent. */
export const discardUpload = async (location: string, streamId: string): Promise<void> => {
  forgetUpload(streamId);
  await Upload.terminate(location, { onBeforeRequest: prove, retryDelays: null });
};

const prove = async (request: HttpRequest): Promise<void> => {
  const { headers } = await proof();
  for (const [name, value] of Object.entries(headers)) request.setHeader(name, value);
};

/** A conflict may only mean that the server has more bytes than the last answer said. */
const isRefusal = ({ originalResponse }: DetailedError): boolean => {
  const status = originalResponse?.getStatus() ?? 0;
  return status >= 400 && status < 500 && status !== 409;
};

const apiErrorOf = (error: Error | DetailedError): ApiError => {
  const response = 'originalResponse' in error ? error.originalResponse : null;
  if (!response) return 'originalRequest' in error ? unreachable() : new ApiError(0, error.message);
  const status = response.getStatus();
  if (status === 404) return new ApiError(404, 'This upload has expired or was deleted. Upload the file again.');
  return errorOfBody(status, jsonIn(response.getBody()), response.getHeader('X-Correlation-Id') ?? null);
};

const jsonIn = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};

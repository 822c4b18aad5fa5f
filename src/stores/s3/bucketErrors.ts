import { StoreUnavailable } from '../eventStore.ts';

/** Object storage refuses the settings. At the start this message ends the program; later the bucket counts as away. */
export class BucketRefused extends StoreUnavailable {
  override name = 'BucketRefused';
}

/** An object could not be put, and it may have been stored all the same. */
export class PutUnclear extends StoreUnavailable {
  override name = 'PutUnclear';
}

/** Names of errors that mean that the settings are wrong. */
const REFUSALS: Readonly<Record<string, string>> = {
  NoSuchBucket: 'The bucket does not exist. Create it, or correct its name.',
  InvalidBucketName: 'The name of the bucket is not valid. Correct it.',
  PermanentRedirect: 'The bucket is in another region. Correct region=... in it.',
  AuthorizationHeaderMalformed: 'The bucket is in another region. Correct region=... in it.',
  InvalidAccessKeyId: 'The access key is unknown. Check AWS_ACCESS_KEY_ID.',
  SignatureDoesNotMatch: 'The secret key is wrong. Check AWS_SECRET_ACCESS_KEY.',
  AccessDenied: 'The credentials may not use the bucket. They need the rights that docs/guides/object-storage.md lists.',
  CredentialsProviderError: 'There are no credentials. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.',
};

const metadataOf = (error: unknown): { readonly httpStatusCode?: number } =>
  error instanceof Error && '$metadata' in error && typeof error.$metadata === 'object' ? (error.$metadata ?? {}) : {};

/** HTTP status of the answer; of a translated error that of its cause. */
export const statusOf = (error: unknown): number | undefined =>
  metadataOf(error).httpStatusCode ?? (error instanceof Error && error.cause !== undefined ? statusOf(error.cause) : undefined);

const nameOf = (error: unknown): string => (error instanceof Error ? (error.cause instanceof Error ? error.cause.name : error.name) : '');

export const isMissing = (error: unknown): boolean => statusOf(error) === 404 && nameOf(error) !== 'NoSuchBucket';

export const unlessMissing = (error: unknown): void => {
  if (!isMissing(error)) throw error;
};

/** Errors before a byte has reached the server. */
const UNCONNECTED: ReadonlySet<unknown> = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

/** Whether a request has certainly stored nothing. A proxy's 502 or 504 does not say what object storage did. */
export const hasDoneNothing = (error: unknown): boolean => {
  const status = statusOf(error);
  if (status !== undefined) return status >= 400 && status < 500;
  return error instanceof Error && 'code' in error && UNCONNECTED.has(error.code);
};

/** The operation's outcome, with a failure as an error of the ports. */
export const reach = async <T>(operation: Promise<T>): Promise<T> => {
  try {
    return await operation;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const refusal = REFUSALS[error.name];
    if (refusal !== undefined) throw new BucketRefused(refusal, { cause: error });
    throw new StoreUnavailable(`object storage cannot be used: ${error.name}: ${error.message}`, { cause: error });
  }
};

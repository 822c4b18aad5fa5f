import { ADMIN_KEY } from './server.ts';

export const TUS = '/http-gateway/api/v1/tus';

type Headers = Readonly<Record<string, string>>;

/** `Upload-Metadata` of these values. */
export const metadata = (values: Readonly<Record<string, string>>): string =>
  Object.entries(values)
    .map(([key, value]) => `${key} ${Buffer.from(value).toString('base64')}`)
    .join(',');

/** Creates a resumable upload. */
export const creation = (
  url: string,
  length: number,
  { query = '', headers = {}, body }: { query?: string; headers?: Headers; body?: Uint8Array } = {},
): Promise<Response> =>
  fetch(`${url}${TUS}?${query}`, {
    method: 'POST',
    headers: { authorization: `Basic ${ADMIN_KEY}`, 'tus-resumable': '1.0.0', 'upload-length': String(length), ...headers },
    ...(body && { body }),
  });

/** Sends its next bytes. */
export const chunk = (url: string, location: string, offset: number, body: Uint8Array, headers: Headers = {}): Promise<Response> =>
  fetch(url + location, {
    method: 'PATCH',
    headers: {
      authorization: `Basic ${ADMIN_KEY}`,
      'tus-resumable': '1.0.0',
      'content-type': 'application/offset+octet-stream',
      'upload-offset': String(offset),
      ...headers,
    },
    body,
  });

/** Asks how far it has come. */
export const standing = (url: string, location: string, headers: Headers = {}): Promise<Response> =>
  fetch(url + location, { method: 'HEAD', headers: { authorization: `Basic ${ADMIN_KEY}`, 'tus-resumable': '1.0.0', ...headers } });

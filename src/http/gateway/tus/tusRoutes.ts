import * as s from '../../../schema.ts';
import { wrongMethod } from '../../errors/errors.ts';
import { type ApiRequest, type ApiResponse, defineRoute, type Route } from '../../route/route.ts';
import { UPLOAD_PARAMETERS } from '../uploadParameters.ts';
import type { NewUploadDeps } from './newUploadStore.ts';
import { TUS_EXTENSIONS, TUS_PATH, TUS_VERSION } from './tus.ts';
import { TusGateway, type TusMethod } from './tusGateway.ts';

const UPLOAD_PATH = `${TUS_PATH}/{uploadId}` as const;
const CHUNK = 'application/offset+octet-stream';
const CHUNK_CONTENT = {
  [CHUNK]: { schema: s.described(s.binary, 'The next bytes.'), examples: { bytes: { summary: 'Five bytes', value: 'hello' } } },
};
const STANDING = s.named(
  'ResumableUpload',
  s.resource({
    streamId: s.uuid,
    offset: s.described(s.count, 'Bytes that have arrived.'),
    length: s.described(s.count, 'Bytes in all.'),
    expires: s.described(
      s.nullable(s.time),
      'When the upload ends unless more bytes arrive. `null`: it is complete, and its stream exists.',
    ),
  }),
);
const CONFLICT = 'Upload-Offset is not the number of bytes that have arrived, or another request continues the upload.';

const REFUSED = 'All bytes have arrived, but the stream cannot be created: its id or the `Idempotency-Key` was used otherwise meanwhile.';

const methodOf = ({ header }: ApiRequest): Exclude<TusMethod, 'POST'> => {
  const method = header('X-HTTP-Method-Override')?.toUpperCase();
  if (method === 'PATCH' || method === 'DELETE' || method === 'HEAD') return method;
  throw wrongMethod('DELETE, GET, HEAD, OPTIONS, PATCH, or POST with X-HTTP-Method-Override');
};

/** Resumable uploads: tus 1.0. */
export const tusRoutes = (deps: NewUploadDeps): Route[] => {
  const gateway = new TusGateway(deps);
  const options = {
    'Tus-Resumable': TUS_VERSION,
    'Tus-Version': TUS_VERSION,
    'Tus-Extension': [...TUS_EXTENSIONS, 'expiration'].join(','),
    'Tus-Max-Size': String(deps.maxBytes),
  };
  const append = (request: ApiRequest<{ uploadId: string }>): Promise<ApiResponse> =>
    gateway.continue(request, request.params.uploadId, 'PATCH');
  return [
    defineRoute({
      operationId: 'createResumableUpload',
      tag: 'Upload',
      method: 'POST',
      path: TUS_PATH,
      summary: 'Begins a resumable upload, for clients of tus 1.0.',
      description:
        'The parameters are those of `upload`, in the query or as keys of `Upload-Metadata`; there `filename` or `name` is the name of the file, and `filetype` and `type` are ignored. Everything that needs no bytes is checked here, and the place of a running stream is taken. A body of `application/offset+octet-stream` is the first bytes.\n\nThe stream is created when the last byte is durable. Its id is in `Tributary-Stream-Id`. A repeated creation with the same `Idempotency-Key` continues the same upload.',
      access: 'authenticated',
      optionsHeaders: options,
      query: UPLOAD_PARAMETERS,
      headers: ['Tus-Resumable', 'Upload-Length', 'Upload-Metadata', 'Idempotency-Key', 'X-Template-Patch', 'X-Vat-Meta-Template-Patch'],
      body: { kind: 'raw', contentTypes: ['*/*'], documented: CHUNK_CONTENT },
      responses: {
        201: {
          description: 'Send the bytes to `Location`.',
          headers: ['Location', 'Tus-Resumable', 'Tributary-Stream-Id', 'RateLimit', 'RateLimit-Policy'],
          optionalHeaders: ['Upload-Offset', 'Upload-Expires'],
        },
        404: { description: 'The template does not exist, or the group belongs to another owner.' },
        409: { description: 'The id is in use, or the `Idempotency-Key` was used with other parameters or another length.' },
        412: { description: '`Tus-Resumable` is missing or another version.' },
        413: { description: 'The upload is too large.' },
        429: { description: 'Too many running streams.' },
        501: { description: 'The extension of the protocol is not supported.' },
      },
      handle: (request) => gateway.create(request),
    }),
    defineRoute({
      operationId: 'getResumableUpload',
      tag: 'Upload',
      method: 'GET',
      path: UPLOAD_PATH,
      summary: 'How many bytes of a resumable upload have arrived.',
      description: 'tus clients send HEAD, which answers with the headers only. It ends a running request of the same upload.',
      access: 'authenticated',
      alwaysFresh: true,
      reads: [],
      optionsHeaders: options,
      responses: {
        200: {
          description: 'The upload.',
          schema: STANDING,
          headers: ['Tus-Resumable', 'Tributary-Stream-Id', 'Upload-Offset', 'Upload-Length'],
          optionalHeaders: ['Upload-Metadata', 'Upload-Expires'],
        },
        412: { description: 'A HEAD without `Tus-Resumable`, or with another version.' },
      },
      handle: (request) => gateway.continue(request, request.params.uploadId, 'HEAD'),
    }),
    defineRoute({
      operationId: 'continueResumableUpload',
      tag: 'Upload',
      method: 'PATCH',
      path: UPLOAD_PATH,
      summary: 'Sends further bytes of a resumable upload.',
      description: 'What has arrived stays when the connection breaks. With the last byte the stream is created, and then answered.',
      access: 'authenticated',
      headers: ['Tus-Resumable', 'Upload-Offset'],
      body: { kind: 'raw', contentTypes: [CHUNK], documented: CHUNK_CONTENT },
      responses: {
        204: {
          description: 'All bytes of the request are stored.',
          headers: ['Tus-Resumable', 'Tributary-Stream-Id', 'Upload-Offset'],
          optionalHeaders: ['Upload-Expires'],
        },
        409: { description: CONFLICT },
        422: { description: REFUSED },
        412: { description: '`Tus-Resumable` is missing or another version.' },
        413: { description: 'More bytes than `Upload-Length` has announced.' },
      },
      handle: append,
    }),
    defineRoute({
      operationId: 'overrideResumableUpload',
      tag: 'Upload',
      method: 'POST',
      path: UPLOAD_PATH,
      summary: 'PATCH, HEAD or DELETE, for clients that can send only POST.',
      description: '`X-HTTP-Method-Override` names the method.',
      access: 'authenticated',
      headers: ['X-HTTP-Method-Override', 'Tus-Resumable', 'Upload-Offset'],
      body: { kind: 'raw', contentTypes: ['*/*'], documented: CHUNK_CONTENT },
      responses: {
        200: {
          description: 'The upload, for HEAD.',
          schema: STANDING,
          headers: ['Tus-Resumable', 'Tributary-Stream-Id', 'Upload-Offset', 'Upload-Length'],
        },
        204: { description: 'As PATCH or DELETE.', headers: ['Tus-Resumable', 'Tributary-Stream-Id'], optionalHeaders: ['Upload-Offset'] },
        405: { description: 'Another method.' },
        409: { description: CONFLICT },
        422: { description: REFUSED },
        412: { description: '`Tus-Resumable` is missing or another version.' },
        413: { description: 'More bytes than `Upload-Length` has announced.' },
      },
      handle: (request) => gateway.continue(request, request.params.uploadId, methodOf(request)),
    }),
    defineRoute({
      operationId: 'deleteResumableUpload',
      tag: 'Upload',
      method: 'DELETE',
      path: UPLOAD_PATH,
      summary: 'Gives up a resumable upload and deletes its bytes.',
      description: 'Frees its place among the running streams. A complete upload is a stream: cancel or delete that.',
      access: 'authenticated',
      headers: ['Tus-Resumable'],
      responses: {
        204: { description: 'Deleted.', headers: ['Tus-Resumable', 'Tributary-Stream-Id'] },
        409: { description: 'The upload is complete.' },
        412: { description: '`Tus-Resumable` is missing or another version.' },
      },
      handle: (request) => gateway.continue(request, request.params.uploadId, 'DELETE'),
    }),
  ];
};

import { queryCheck } from '../../input/parameters.ts';
import type { RawQuery } from '../../query/rawQuery.ts';
import type { QueryParameters } from '../../route/route.ts';
import { UPLOAD_PARAMETERS, type UploadParameters, uploadParameters } from '../uploadParameters.ts';

/** The documented query parameters of the WebSocket gateway: those of an upload and its own. */
export const SOCKET_PARAMETERS = {
  ...UPLOAD_PARAMETERS,
  egress: { schema: { type: 'boolean', default: true }, description: 'false: no responses, and no END_OF_STREAM from the server.' },
  configurationMessage: { schema: { type: 'boolean', default: false }, description: 'true: the first message is CONFIGURATION.' },
  format: {
    schema: { title: 'SocketFormat', type: 'string', enum: ['JSON', 'RAW'], default: 'JSON' },
    description: 'RAW: output is sent as binary messages.',
  },
  acceptFrameType: {
    schema: { title: 'AcceptedFrameTypes', type: 'string', enum: ['partial-final', 'final'], default: 'partial-final' },
    description: 'Whether to include partial results.',
  },
} as const satisfies QueryParameters;

export interface SocketParameters {
  readonly upload: UploadParameters;
  readonly egress: boolean;
  readonly configurationMessage: boolean;
  readonly raw: boolean;
  readonly finalOnly: boolean;
}

const DOCUMENTED: ReadonlySet<string> = new Set(Object.keys(SOCKET_PARAMETERS));
const check = queryCheck(SOCKET_PARAMETERS);

/** The parameters of a handshake. Throws a `Problem` for an invalid query or patch header. */
export const socketParameters = (rawQuery: RawQuery, header: (name: string) => string | undefined): SocketParameters => {
  const query = check(rawQuery);
  const upload = uploadParameters({ query, rawQuery, header }, DOCUMENTED);
  return {
    // A handshake has no retryable answer, so there is no idempotency key.
    upload: { ...upload, idempotencyKey: null },
    egress: query.egress,
    configurationMessage: query.configurationMessage,
    raw: query.format === 'RAW',
    finalOnly: query.acceptFrameType === 'final',
  };
};

import type { ErrorResponse } from '../../../domain/problem.ts';
import type { Stream } from '../../../domain/stream/streamResource.ts';
import { memberOf } from '../../../json.ts';
import type { SinkMessage } from '../../export/sinkMessages.ts';
import { parseJson } from '../../input/body.ts';
import { badRequest, tooLarge } from '../../server/errors.ts';
import { MAX_CONFIGURATION_PART_BYTES } from '../configurationPart.ts';

/** Text messages of a client; binary frames are data. */
export type ClientMessage =
  | { readonly type: 'DATA'; readonly data: Uint8Array }
  /** `text` is the whole message: its configuration is read like that of a multipart upload. */
  | { readonly type: 'CONFIGURATION'; readonly text: Uint8Array }
  | { readonly type: 'KEEP_ALIVE' }
  | { readonly type: 'END_OF_STREAM' };

/** Text messages of the server; raw output is sent as binary frames. */
export type ServerMessage =
  | { readonly type: 'STREAM_METADATA'; readonly stream: Stream }
  | { readonly type: 'RESPONSE'; readonly response: SinkMessage }
  | { readonly type: 'KEEP_ALIVE' }
  | { readonly type: 'ERROR'; readonly error: ErrorResponse }
  | { readonly type: 'END_OF_STREAM' };

/** Throws GENERAL_BAD_REQUEST_ERROR for text that is not a JSON object of a known type, 413 for text above the size of a configuration. */
export const clientMessage = (data: Uint8Array, isBinary: boolean): ClientMessage => {
  if (isBinary) return { type: 'DATA', data };
  if (data.byteLength > MAX_CONFIGURATION_PART_BYTES) throw tooLarge(MAX_CONFIGURATION_PART_BYTES);
  const message = parseJson(data);
  const type = memberOf(message, 'type');
  switch (type) {
    case 'CONFIGURATION':
      return { type, text: data };
    case 'KEEP_ALIVE':
    case 'END_OF_STREAM':
      return { type };
    default:
      throw badRequest(
        'A text message must be {"type": "CONFIGURATION" | "KEEP_ALIVE" | "END_OF_STREAM", ...}. Send data in binary messages.',
      );
  }
};

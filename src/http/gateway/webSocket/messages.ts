import type { ErrorResponse } from '../../../domain/problem.ts';
import type { Stream } from '../../../domain/stream/streamResource.ts';
import { isJsonObject, type JsonObject } from '../../../json.ts';
import type { Limits } from '../../../limits.ts';
import { badRequest, tooLarge } from '../../errors/errors.ts';
import type { SinkMessage } from '../../export/sinkMessages.ts';
import { parseJson } from '../../input/body.ts';

/** Text messages of a client; binary frames are data. */
export type ClientMessage =
  | { readonly type: 'DATA'; readonly data: Uint8Array }
  /** `message` is the whole message: it has the members of an upload's configuration part. */
  | { readonly type: 'CONFIGURATION'; readonly message: JsonObject }
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
export const clientMessage = (
  data: Uint8Array,
  isBinary: boolean,
  { configurationPartMaxBytes, jsonMaxValues }: Pick<Limits, 'configurationPartMaxBytes' | 'jsonMaxValues'>,
): ClientMessage => {
  if (isBinary) return { type: 'DATA', data };
  if (data.byteLength > configurationPartMaxBytes) throw tooLarge(configurationPartMaxBytes);
  const message = parseJson(data, jsonMaxValues);
  const { type } = isJsonObject(message) ? message : {};
  if (type === 'CONFIGURATION' && isJsonObject(message)) return { type, message };
  if (type === 'KEEP_ALIVE' || type === 'END_OF_STREAM') return { type };
  throw badRequest('A text message must be {"type": "CONFIGURATION" | "KEEP_ALIVE" | "END_OF_STREAM", ...}. Send data in binary messages.');
};

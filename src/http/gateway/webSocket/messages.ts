import type { ErrorResponse } from '../../../domain/problem.ts';
import type { Stream } from '../../../domain/stream/streamResource.ts';
import { memberOf } from '../../../json.ts';
import { ownTurn } from '../../../supervision/ownTurn.ts';
import type { SinkMessage } from '../../export/sinkMessages.ts';
import { parseJson } from '../../input/body.ts';
import { badRequest, tooLarge } from '../../server/errors.ts';
import { type ConfigurationPart, configurationPart, MAX_CONFIGURATION_PART_BYTES } from '../configurationPart.ts';

/** Text messages of a client; binary frames are data. */
export type ClientMessage =
  | { readonly type: 'DATA'; readonly data: Uint8Array }
  /** `text` is the whole message: its configuration is read like that of a multipart upload. The type of a large message is not checked yet. */
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

/** Only a CONFIGURATION may be larger. Its parsing takes turns of the event loop of its own: the last bytes of hundreds of messages may arrive together. */
export const MAX_CONTROL_BYTES = 1_024;

/**
 * Throws GENERAL_BAD_REQUEST_ERROR for text that is not a JSON object of a known type, 413 for text above the size of a configuration. Large text is taken
 * for a CONFIGURATION; `configurationIn` checks it.
 */
export const clientMessage = (data: Uint8Array, isBinary: boolean): ClientMessage => {
  if (isBinary) return { type: 'DATA', data };
  if (data.byteLength > MAX_CONFIGURATION_PART_BYTES) throw tooLarge(MAX_CONFIGURATION_PART_BYTES);
  const type = data.byteLength > MAX_CONTROL_BYTES ? 'CONFIGURATION' : typeIn(data);
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

/** The content of a CONFIGURATION message. Throws as `configurationPart` does, and GENERAL_BAD_REQUEST_ERROR for large text of another type. */
export const configurationIn = async (text: Uint8Array): Promise<ConfigurationPart> => {
  if (text.byteLength > MAX_CONTROL_BYTES) {
    await ownTurn();
    if (typeIn(text) !== 'CONFIGURATION')
      throw badRequest(`A text message of more than ${MAX_CONTROL_BYTES} bytes must be a CONFIGURATION.`);
    await ownTurn();
  }
  return configurationPart(text);
};

const typeIn = (text: Uint8Array): unknown => memberOf(parseJson(text), 'type');

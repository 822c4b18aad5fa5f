import { hasMoreValues } from '../../../countValues.ts';
import type { Json } from '../../../json.ts';
import { ownTurn, SMALL_STEP_BYTES } from '../../../supervision/ownTurn.ts';
import { parseJson, parseLargeJson, type ReceivedMessage } from '../../input/body.ts';
import { badRequest } from '../../server/errors.ts';
import { invalidField } from '../openAiErrors.ts';
import { onlyTranscribes } from './sessionSettings.ts';

export type RealtimeMessage =
  | { readonly type: 'session.update' | 'transcription_session.update'; readonly session: Json | undefined }
  | { readonly type: 'input_audio_buffer.append'; readonly audio: Buffer }
  | { readonly type: 'input_audio_buffer.commit' | 'input_audio_buffer.clear' };

/** A message with its client's id, which an error for it repeats. */
export interface HeardMessage {
  readonly eventId: string | null;
  /** Rejects with 400 for a message of another kind of session. Long audio is decoded in several turns of the event loop. */
  readonly read: () => Promise<RealtimeMessage>;
}

/** Longest id, as in OpenAI's interface. A longer one is not repeated in an error, whose text stays in memory until the client reads it. */
const MAX_EVENT_ID = 512;
/** Audio is one long text; the other messages are small. */
const MAX_VALUES = 10_000;
/** A message with more takes turns of the event loop of its own: hundreds of sessions may each receive their last byte at the same moment. */
const FEW_VALUES = 256;

/** Rejects with 400 for text that is not a JSON object with a type, or that has too many values. */
export const heardMessage = async (received: ReceivedMessage): Promise<HeardMessage> => {
  const isLarge = received.length > SMALL_STEP_BYTES || hasMoreValues(received.piece(0, received.length), FEW_VALUES);
  const message = isLarge ? await parseLargeJson(received, MAX_VALUES) : parseJson(received.take(), MAX_VALUES);
  if (typeof message !== 'object' || message === null || Array.isArray(message) || typeof message.type !== 'string')
    throw badRequest('A message is a JSON object with a type, such as {"type": "input_audio_buffer.append", "audio": "..."}.');
  const { type, event_id: eventId } = message;
  return { eventId: typeof eventId === 'string' && eventId.length <= MAX_EVENT_ID ? eventId : null, read: () => messageOf(type, message) };
};

const messageOf = async (type: string, { session, audio }: Readonly<Record<string, Json>>): Promise<RealtimeMessage> => {
  switch (type) {
    case 'session.update':
    case 'transcription_session.update':
      return { type, session };
    case 'input_audio_buffer.append':
      return { type, audio: await audioOf(audio) };
    case 'input_audio_buffer.commit':
    case 'input_audio_buffer.clear':
      return { type };
    default:
      if (/^(response|conversation|output_audio_buffer)\./.test(type)) throw onlyTranscribes();
      throw invalidField('type', `${JSON.stringify(type.slice(0, 100))} is not a message of a transcription session.`);
  }
};

/** Characters decoded in one turn: about three milliseconds. A multiple of four, so that only the last piece has padding. */
const DECODED_CHARACTERS = 2_097_152;

const audioOf = async (audio: Json | undefined): Promise<Buffer> => {
  if (typeof audio !== 'string') throw notBase64();
  if (audio.length <= DECODED_CHARACTERS) return piece(audio, true);
  const bytes = Buffer.allocUnsafe(Math.ceil((audio.length * 3) / 4));
  let length = 0;
  for (let from = 0; from < audio.length; from += DECODED_CHARACTERS) {
    await ownTurn();
    const isLast = from + DECODED_CHARACTERS >= audio.length;
    length += piece(audio.slice(from, from + DECODED_CHARACTERS), isLast).copy(bytes, length);
  }
  return bytes.subarray(0, length);
};

/** Node skips characters that are not base64, so invalid text yields too few bytes. A regular expression takes ten times as long. */
const piece = (text: string, mayHavePadding: boolean): Buffer => {
  const padding = !mayHavePadding ? 0 : text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  const bytes = Buffer.from(text, 'base64');
  const digits = text.length - padding;
  const isWhole = digits % 4 !== 1 && bytes.length === Math.floor((digits * 3) / 4);
  if (!isWhole || text.includes('-') || text.includes('_')) throw notBase64();
  return bytes;
};

const notBase64 = () => invalidField('audio', 'audio must be base64.');

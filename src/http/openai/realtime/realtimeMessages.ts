import type { Json } from '../../../json.ts';
import { badRequest } from '../../errors/errors.ts';
import { invalidField } from '../../errors/openAiErrors.ts';
import { parseJson } from '../../input/body.ts';
import { onlyTranscribes } from './sessionSettings.ts';

export type RealtimeMessage =
  | { readonly type: 'session.update' | 'transcription_session.update'; readonly session: Json | undefined }
  | { readonly type: 'input_audio_buffer.append'; readonly audio: Buffer }
  | { readonly type: 'input_audio_buffer.commit' | 'input_audio_buffer.clear' };

/** A message with its client's id, which an error for it repeats. */
export interface HeardMessage {
  readonly eventId: string | null;
  /** Throws 400 for a message of another kind of session. */
  readonly read: () => RealtimeMessage;
}

/** Longest id, as in OpenAI's interface. A longer one is not repeated in an error, whose text stays in memory until the client reads it. */
const MAX_EVENT_ID = 512;

/** Throws 400 for text that is not a JSON object with a type, or that has too many values. */
export const heardMessage = (text: Uint8Array, maxValues: number): HeardMessage => {
  const message = parseJson(text, maxValues);
  if (typeof message !== 'object' || message === null || Array.isArray(message) || typeof message.type !== 'string')
    throw badRequest('A message is a JSON object with a type, such as {"type": "input_audio_buffer.append", "audio": "..."}.');
  const { type, event_id: eventId } = message;
  return { eventId: typeof eventId === 'string' && eventId.length <= MAX_EVENT_ID ? eventId : null, read: () => messageOf(type, message) };
};

const messageOf = (type: string, { session, audio }: Readonly<Record<string, Json>>): RealtimeMessage => {
  switch (type) {
    case 'session.update':
    case 'transcription_session.update':
      return { type, session };
    case 'input_audio_buffer.append':
      return { type, audio: audioOf(audio) };
    case 'input_audio_buffer.commit':
    case 'input_audio_buffer.clear':
      return { type };
    default:
      if (/^(response|conversation|output_audio_buffer)\./.test(type)) throw onlyTranscribes();
      throw invalidField('type', `${JSON.stringify(type.slice(0, 100))} is not a message of a transcription session.`);
  }
};

/** Node skips characters that are not base64, so invalid text yields too few bytes. A regular expression takes ten times as long. */
const audioOf = (audio: Json | undefined): Buffer => {
  if (typeof audio !== 'string') throw notBase64();
  const padding = audio.endsWith('==') ? 2 : audio.endsWith('=') ? 1 : 0;
  const bytes = Buffer.from(audio, 'base64');
  const digits = audio.length - padding;
  const isWhole = digits % 4 !== 1 && bytes.length === Math.floor((digits * 3) / 4);
  if (!isWhole || audio.includes('-') || audio.includes('_')) throw notBase64();
  return bytes;
};

const notBase64 = () => invalidField('audio', 'audio must be base64.');

import { randomUUID } from 'node:crypto';
import type { Clock } from '../../../clock.ts';
import type { Transcription } from '../../../domain/stream/messages.ts';
import type { OpenAiErrorBody } from '../../errors/openAiErrors.ts';
import { GrowingText } from '../growingText.ts';

/** A stretch of the session's audio with its own transcript. Times in milliseconds from the start of the audio. */
interface Item {
  readonly id: string;
  readonly text: GrowingText;
  readonly start: number;
  end: number;
  /** For an item that the client committed: where its last sound ends. */
  readonly lastSound: number | null;
  settling: AbortController;
}

/** An event for the client, without its id. */
export type ItemEvent = { readonly type: string } & Readonly<Record<string, unknown>>;

/** How much earlier than a sound's end an engine may report the end of the last word. */
const TOLERANCE_MILLISECONDS = 800;
/** An item is complete when its engine has reported nothing for this long. */
const AFTER_TEXT_MILLISECONDS = 3_000;
const BEFORE_TEXT_MILLISECONDS = 10_000;

/** An item with this much text is complete: its text is kept until then, and sent as a whole. */
const MOST_CHARACTERS = 1_048_576;

const TRANSCRIPTION = 'conversation.item.input_audio_transcription';

/**
 * The items of one session. Without turn detection a commit creates an item whose text is the messages with times inside its audio; it is complete
 * when they reach its last sound, or none has arrived for a while. All other messages are utterances cut by the engine, each an item of its own.
 * Text is sent when it is final: no delta is revised.
 */
export class SpeechItems {
  readonly #clock: Clock;
  readonly #send: (event: ItemEvent) => void;
  readonly #padding: () => number;
  /** Where the last utterance ended. */
  #spokenUntil = 0;
  readonly #committed: Item[] = [];
  #spoken: Item | null = null;
  #previousId: string | null = null;

  /** `padding`: milliseconds that an utterance begins before its first sound. */
  constructor(clock: Clock, send: (event: ItemEvent) => void, padding: () => number) {
    this.#clock = clock;
    this.#send = send;
    this.#padding = padding;
  }

  /** The client committed the audio from `start` to `end`. `lastSound` is `null` for silence, which has no text. */
  commit(start: number, end: number, lastSound: number | null): void {
    const item = newItem(start, end, lastSound);
    this.#announce(item);
    if (lastSound === null) {
      this.#complete(item);
      return;
    }
    this.#committed.push(item);
    this.#settle(item, BEFORE_TEXT_MILLISECONDS + (end - start));
  }

  /** A message of the transcriber, partial or final. */
  take(message: Transcription, isFinal: boolean): void {
    const item = this.#committed.find(({ start, end }) => message.start === null || (message.start >= start && message.start < end));
    if (item) this.#takeCommitted(item, message, isFinal);
    else this.#takeSpoken(message, isFinal);
  }

  /** The stream has failed, and with it every open item. */
  fail({ error }: OpenAiErrorBody): void {
    const open = [...this.#committed.splice(0), ...(this.#spoken ? [this.#spoken] : [])];
    this.#spoken = null;
    for (const { id, settling } of open) {
      settling.abort();
      this.#send({ type: `${TRANSCRIPTION}.failed`, item_id: id, content_index: 0, error });
    }
  }

  /** No more messages will follow. */
  end(): void {
    for (const item of this.#committed.splice(0)) {
      item.settling.abort();
      this.#complete(item);
    }
  }

  #takeCommitted(item: Item, message: Transcription, isFinal: boolean): void {
    if (isFinal) this.#delta(item, message);
    const end = message.end ?? message.start ?? 0;
    const isWhole = isFinal && item.lastSound !== null && end >= item.lastSound - TOLERANCE_MILLISECONDS;
    if (isWhole || item.text.length > MOST_CHARACTERS) this.#completeCommitted(item);
    else this.#settle(item, AFTER_TEXT_MILLISECONDS);
  }

  #takeSpoken(message: Transcription, isFinal: boolean): void {
    if (!this.#spoken) {
      if (message.transcription.trim() === '') return;
      this.#spoken = newItem(message.start ?? 0, message.end ?? message.start ?? 0, null);
      const start = Math.max(this.#spokenUntil, this.#spoken.start - this.#padding());
      this.#send({ type: 'input_audio_buffer.speech_started', item_id: this.#spoken.id, audio_start_ms: Math.round(start) });
    }
    if (!isFinal) return;
    const item = this.#spoken;
    this.#spoken = null;
    item.end = message.end ?? item.end;
    this.#spokenUntil = item.end;
    this.#send({ type: 'input_audio_buffer.speech_stopped', item_id: item.id, audio_end_ms: Math.round(item.end) });
    this.#announce(item);
    this.#delta(item, message);
    this.#complete(item);
  }

  #announce({ id }: Item): void {
    this.#send({ type: 'input_audio_buffer.committed', item_id: id, previous_item_id: this.#previousId });
    this.#previousId = id;
  }

  #delta({ id, text }: Item, { transcription }: Transcription): void {
    const delta = text.add(transcription);
    if (delta !== '') this.#send({ type: `${TRANSCRIPTION}.delta`, item_id: id, content_index: 0, delta });
  }

  #completeCommitted(item: Item): void {
    item.settling.abort();
    const index = this.#committed.indexOf(item);
    if (index < 0) return;
    this.#committed.splice(index, 1);
    this.#complete(item);
  }

  #complete({ id, text, start, end }: Item): void {
    const usage = { type: 'duration', seconds: Math.max(0, end - start) / 1_000 };
    this.#send({ type: `${TRANSCRIPTION}.completed`, item_id: id, content_index: 0, transcript: text.take(), usage });
  }

  /** Completes the item when its engine has been silent for long enough. */
  #settle(item: Item, milliseconds: number): void {
    item.settling.abort();
    const settling = new AbortController();
    item.settling = settling;
    void this.#clock.pause(milliseconds, settling.signal).then((pause) => {
      if (pause === 'elapsed') this.#completeCommitted(item);
    });
  }
}

const newItem = (start: number, end: number, lastSound: number | null): Item => ({
  id: `item_${randomUUID().replaceAll('-', '').slice(0, 21)}`,
  text: new GrowingText(),
  start,
  end,
  lastSound,
  settling: new AbortController(),
});

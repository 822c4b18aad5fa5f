import type { TranscribedWord, Transcription } from '../../domain/stream/messages.ts';

/** The speaker as given in the transcription: the channel, the engine's speaker name, both, or `null`. */
const sourceOf = ({ metadata }: TranscribedWord, channel: string | null): string | null => {
  const told = metadata.engineSpeaker;
  if (typeof told === 'string') return `${channel ?? ''}/${told}`;
  return channel === null ? null : `${channel}/`;
};

/** A to Z, then numbers. */
const letterOf = (n: number): string => (n < 26 ? String.fromCharCode(65 + n) : String(n + 1));

/** Names the speakers: channels by their number, others in order of first appearance. */
export class Speakers {
  readonly #names = new Map<string, string>();
  readonly #taken = new Set<string>();
  /** All letters before this one are in use. */
  #nextLetter = 0;
  readonly #onlyOne: boolean;
  #unknown = false;

  /** `onlyOne`: the caller says that there is one speaker, who gets every word. */
  constructor(onlyOne: boolean) {
    this.#onlyOne = onlyOne;
  }

  get count(): number {
    return this.#names.size;
  }

  /** Whether a word could not be attributed to a speaker. */
  get unknown(): boolean {
    return this.#unknown;
  }

  /** `null` if the speaker is unknown. */
  of(word: TranscribedWord, { channel }: Transcription): string | null {
    const source = this.#onlyOne ? 'only' : sourceOf(word, channel);
    if (source === null) {
      this.#unknown = true;
      return null;
    }
    const name = this.#names.get(source) ?? this.#newName(source);
    this.#names.set(source, name);
    return name;
  }

  #newName(source: string): string {
    const byChannel = /^(\d{1,2})\/$/.exec(source)?.[1];
    const ofChannel = byChannel === undefined ? null : letterOf(Number(byChannel));
    const name = ofChannel !== null && !this.#taken.has(ofChannel) ? ofChannel : this.#freeLetter();
    this.#taken.add(name);
    return name;
  }

  #freeLetter(): string {
    while (this.#taken.has(letterOf(this.#nextLetter))) this.#nextLetter++;
    return letterOf(this.#nextLetter);
  }
}

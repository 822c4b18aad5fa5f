/** One word as an engine heard it, before it is a message. Times in milliseconds from the start of the audio. */
export interface HeardWord {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** 0..1. */
  readonly confidence: number;
}

/** One utterance as an engine heard it; `words` may be empty. */
export interface Utterance {
  readonly words: readonly HeardWord[];
}

/** Start of an utterance, for putting channels in order. */
export const startOf = (utterance: Utterance): number => utterance.words[0]?.start ?? 0;

/**
 * Whether an utterance counts as silence or noise. PocketSphinx gives no probability of "no speech"; what it does give is how sure it is
 * of each word, and in noise it is sure of none. So one minus the surest word's confidence stands for it.
 */
export const isNoSpeech = (utterance: Utterance, threshold: number): boolean =>
  1 - utterance.words.reduce((surest, word) => Math.max(surest, word.confidence), 0) > threshold;

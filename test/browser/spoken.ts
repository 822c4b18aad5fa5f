import { grammarOf, type Saying, speech } from '../speech.ts';

/** What two people say, each into a channel of their own; the engine's grammar holds these sentences, so that its words come out exact. */
const CHANNELS: readonly (readonly Saying[])[] = [
  [{ text: 'hello world' }, { text: 'i love this wonderful product', after: 2_200 }],
  [
    { text: 'this is a test', after: 900, voice: 'rms' },
    { text: 'the delivery was terrible and awful', after: 1_300, voice: 'rms' },
  ],
];

/** One voice, mono. */
export const monologue = (): Promise<Buffer> => speech([[{ text: 'hello world' }, { text: 'this is a test', after: 800 }]]);

/** Two voices, stereo. */
export const conversation = (): Promise<Buffer> => speech(CHANNELS);

/** The setting of the server that names the grammar, which is written to the folder. */
export const grammarSetting = (folder: string): Record<string, string> => ({
  TRANSCRIBER_GRAMMAR: grammarOf(
    folder,
    CHANNELS.flat().map(({ text }) => text),
  ),
});

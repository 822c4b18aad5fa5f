import { type Saying, speech } from '../speech.ts';

/** What two people say, each into a channel of their own. */
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

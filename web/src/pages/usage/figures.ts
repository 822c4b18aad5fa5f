import { count, duration } from '../../parts/format.ts';
import type { Aggregate } from './aggregates.ts';

type Measured = Pick<Aggregate, 'measurements'>;

/** Length of audio that was read; a dash where nothing reads audio. */
export const audioIn = ({ measurements }: Measured): string => orDash(measurements.processedAudioLength, duration);

/** Tokens of language models; a dash where no model ran. */
export const tokensIn = ({ measurements }: Measured): string => orDash(measurements.processedTokens, count);

const orDash = (sum: number | undefined, shown: (sum: number) => string): string => (sum ? shown(sum) : '–');

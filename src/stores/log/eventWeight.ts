import { weightOf } from '../../weight.ts';
import type { RecordedEvent } from './eventLog.ts';

/** About how many bytes the data of an event take in memory; 0 if they cannot be read. */
export const eventWeight = (event: RecordedEvent): number => {
  try {
    return weightOf(event.data);
  } catch {
    return 0;
  }
};

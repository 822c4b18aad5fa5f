type Tone = 'good' | 'bad' | 'busy' | 'quiet' | 'warn';

const TONES: Readonly<Record<string, Tone>> = {
  READY: 'busy',
  RUNNING: 'busy',
  CONNECTED: 'busy',
  CREATED: 'busy',
  COMPLETED: 'good',
  DELIVERED: 'good',
  ENABLED: 'good',
  HEALTHY: 'good',
  FAILING: 'bad',
  HELD: 'bad',
  LIVE: 'good',
  FAILED: 'bad',
  ERROR: 'bad',
  EXHAUSTED: 'bad',
  REFUSED: 'bad',
  STOPPED: 'bad',
  PENDING: 'warn',
  REBUILDING: 'warn',
  'CATCHING-UP': 'warn',
};

/** The states of a stream in the words of a reader; every other as it is called. */
const WORDS: Readonly<Record<string, string>> = { READY: 'Processing', exhausted: 'Gave up', unknown: 'No attempt yet' };

const inWords = (state: string): string =>
  WORDS[state] ?? `${state.charAt(0).toUpperCase()}${state.slice(1).toLowerCase().replace('-', ' ')}`;

/** A state, by colour and by word. */
export const StateBadge = ({ state }: { readonly state: string }) => (
  <span class={`badge ${TONES[state.toUpperCase()] ?? 'quiet'}`} data-state={state}>
    {inWords(state)}
  </span>
);

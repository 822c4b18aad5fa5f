import { duration } from '../../parts/format.ts';
import { Time } from '../../parts/Time.tsx';
import type { Attempt } from './deliveries.ts';
import { outcomeInWords } from './outcome.ts';

interface AttemptsProps {
  readonly attempts: readonly Attempt[];
  readonly nextAttempt: string | null;
}

/** The number of attempts; when opened, each with its result and the receiver's answer. */
export const Attempts = ({ attempts, nextAttempt }: AttemptsProps) => (
  <details class="attempts">
    <summary>
      {attempts.length}
      {nextAttempt !== null && Date.parse(nextAttempt) > Date.now() && (
        <span class="quiet">
          , next <Time at={nextAttempt} />
        </span>
      )}
    </summary>
    <ol class="plain">
      {attempts.map((attempt) => (
        <li key={attempt.attempt}>
          <Time at={attempt.at} exact /> {outcomeInWords(attempt)} <span class="quiet">in {duration(attempt.milliseconds)}</span>
          {attempt.response && <pre class="json">{attempt.response}</pre>}
        </li>
      ))}
    </ol>
  </details>
);

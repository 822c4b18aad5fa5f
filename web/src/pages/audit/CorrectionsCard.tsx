import { clockTime } from '../../parts/format.ts';
import { Card } from '../../parts/Page.tsx';
import { TextDifference } from '../../parts/TextDifference.tsx';
import { shownSpeaker } from '../../results/speakers.ts';
import type { Corrections } from './audit.ts';

/** What an edit or undo changed in a transcript, as people read it. */
export const CorrectionsCard = ({ corrections: { changed, utterances, speakers } }: { readonly corrections: Corrections }) => (
  <Card title="What it changed">
    <ul class="plain corrections" aria-label="Changes of the transcript">
      {speakers.map(({ speaker, before, after }) => (
        <li key={speaker}>
          <TextDifference before={shownSpeaker(speaker, before)} after={shownSpeaker(speaker, after)} />
        </li>
      ))}
      {utterances.map(({ utterance, start, before, after }) => (
        <li key={utterance}>
          <p class="quiet small">
            {start !== null && `${clockTime(start)} `}
            <TextDifference before={before ? (before.speaker ?? '') : (after?.speaker ?? '')} after={(after ?? before)?.speaker ?? ''} />
          </p>
          <p dir="auto">
            <TextDifference before={before?.text ?? ''} after={after?.text ?? ''} />
          </p>
        </li>
      ))}
    </ul>
    {changed > utterances.length && <p class="quiet">And {changed - utterances.length} more utterances.</p>}
    {changed + speakers.length === 0 && <p class="quiet">No visible change.</p>}
  </Card>
);

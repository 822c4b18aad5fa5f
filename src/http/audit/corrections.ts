import { loadStream } from '../../commands/loadStream.ts';
import { readTranscript, type TranscriptDeps } from '../../commands/transcript/readTranscript.ts';
import { type TranscriptContent, textOf, type Utterance, utterancesInOrder } from '../../domain/transcript/content.ts';
import { isTranscriptEvent, streamOfTranscript } from '../../domain/transcript/events.ts';
import { shownSpeakers, speakerIdsOf } from '../../domain/transcript/speakers.ts';
import type { Shape } from '../../json.ts';
import * as s from '../../schema.ts';
import { categoryOf } from '../../stores/log/eventFilter.ts';
import { TopicDamaged } from '../../stores/topics.ts';
import { problemOf } from '../errors/errors.ts';

const MOST_UTTERANCES = 200;

const SPOKEN = s.named(
  'SpokenText',
  s.resource({
    speaker: s.described(s.nullable(s.text), 'Name of the speaker, otherwise `Speaker` and the id. Null without speakers.'),
    text: s.text,
  }),
);

export const CORRECTIONS_SCHEMA = s.described(
  s.nullable(
    s.named(
      'TranscriptCorrections',
      s.resource({
        changed: s.described(s.count, 'How many utterances differ.'),
        utterances: s.described(
          s.list(
            s.named(
              'CorrectedUtterance',
              s.resource({
                utterance: s.text,
                start: s.described(s.nullable(s.integer), 'Milliseconds from the start of the recording.'),
                before: s.described(s.nullable(SPOKEN), 'Null for an utterance that this revision made.'),
                after: s.described(s.nullable(SPOKEN), 'Null for an utterance that this revision removed.'),
              }),
            ),
          ),
          `The first ${MOST_UTTERANCES} of them, in spoken order.`,
        ),
        speakers: s.described(
          s.list(s.named('RenamedSpeaker', s.resource({ speaker: s.text, before: s.nullable(s.text), after: s.nullable(s.text) }))),
          'Speakers whose name changed.',
        ),
      }),
    ),
  ),
  'Of an edit or undo of a transcript: what it changed, before and after. Null for other events, and while the data of the stream are deleted or cannot be read.',
);

type Corrections = NonNullable<Shape<typeof CORRECTIONS_SCHEMA>>;

/** The changes that an event made to a transcript. `null` for other events, and if the texts are deleted or cannot be read. `revision` is that of the event. */
export const correctionsOf = async (
  deps: TranscriptDeps,
  { eventStream, revision: from }: { readonly eventStream: string; readonly revision: string },
): Promise<Corrections | null> => {
  if (categoryOf(eventStream) !== 'transcript') return null;
  try {
    const [event] = await deps.log.readStream(eventStream, { from: BigInt(from), limit: 1 });
    const stream = await loadStream(deps.log, streamOfTranscript(eventStream));
    if (!event || !isTranscriptEvent(event) || !stream) return null;
    const { attempt, revision } = event.data;
    const before = await readTranscript(deps, stream, { attempt, revision: revision - 1 });
    const after = await readTranscript(deps, stream, { attempt, revision });
    return comparison(before.content, after.content);
  } catch (error) {
    // Data that are deleted, damaged or away: the event itself is shown all the same.
    if (problemOf(error) || error instanceof TopicDamaged) return null;
    throw error;
  }
};

const comparison = (before: TranscriptContent, after: TranscriptContent): Corrections => {
  const [former, present] = [utterancesById(before), utterancesById(after)];
  const [showFormer, showPresent] = [showing(before), showing(after)];
  const removed = before.utterances.filter(({ id }) => !present.has(id));
  const changed = utterancesInOrder([...after.utterances, ...removed]).filter(({ id }) => !isSame(former.get(id), present.get(id)));
  const utterances = changed.slice(0, MOST_UTTERANCES).map(({ id, message }) => ({
    utterance: id,
    start: message.start,
    before: showFormer(former.get(id)),
    after: showPresent(present.get(id)),
  }));
  return { changed: changed.length, utterances, speakers: renamed(before, after) };
};

const utterancesById = ({ utterances }: TranscriptContent): ReadonlyMap<string, Utterance> =>
  new Map(utterances.map((utterance) => [utterance.id, utterance]));

/** A new name alone is not a difference: `speakers` has it. */
const isSame = (a: Utterance | undefined, b: Utterance | undefined): boolean =>
  a === b || (a !== undefined && b !== undefined && textOf(a.message) === textOf(b.message) && saidAs(a) === saidAs(b));

const saidAs = ({ message }: Utterance): string => speakerIdsOf(message).join();

const showing = ({ speakers }: TranscriptContent) => {
  const names = new Map(speakers.map(({ id, name }) => [id, name]));
  return (utterance: Utterance | undefined): Shape<typeof SPOKEN> | null => {
    if (!utterance) return null;
    const { message } = utterance;
    const shown = shownSpeakers({ speakerIds: speakerIdsOf(message), channel: message.channel }, names);
    return { speaker: shown.join(', ') || null, text: textOf(message) };
  };
};

const renamed = (before: TranscriptContent, after: TranscriptContent): Corrections['speakers'] => {
  const names = new Map(before.speakers.map(({ id, name }) => [id, name]));
  return after.speakers
    .filter(({ id, name }) => (names.get(id) ?? null) !== name)
    .map(({ id, name }) => ({ speaker: id, before: names.get(id) ?? null, after: name }));
};

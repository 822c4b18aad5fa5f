import { EDIT, MOST_EDITS } from '../../domain/transcript/edits.ts';
import * as s from '../../schema.ts';

/** OpenAPI schemas of transcripts. Times are milliseconds. */

const WORD = s.named(
  'TranscriptWord',
  s.resource({
    word: s.described(s.text, 'With its leading space: joined, the words are the text.'),
    start: s.nullable(s.number),
    end: s.nullable(s.number),
    confidence: s.described(s.nullable(s.number), 'Null for a word that a person wrote.'),
  }),
);

const UTTERANCE = s.named(
  'TranscriptUtterance',
  s.resource({
    id: s.described(s.text, 'Stays the same over edits.'),
    speaker: s.described(s.nullable(s.text), 'Id of the speaker. Null without speakers.'),
    channel: s.nullable(s.text),
    start: s.nullable(s.number),
    end: s.nullable(s.number),
    text: s.text,
    words: s.list(WORD),
    edited: s.described(s.flag, 'Whether a person changed it.'),
  }),
);

export const TRANSCRIPT = s.named(
  'StreamTranscript',
  s.resource({
    streamId: s.uuid,
    attempt: s.described(s.ordinal, 'The attempt of the stream that made the transcription.'),
    revision: s.described(s.count, '0: as the machine wrote it. Every edit and every undo makes the next one.'),
    language: s.nullable(s.text),
    duration: s.described(s.number, 'Length of the recording.'),
    speakers: s.list(s.named('TranscriptSpeaker', s.resource({ id: s.text, name: s.nullable(s.text) }))),
    utterances: s.list(UTTERANCE),
  }),
);

const TEXT = { type: 'string' } as const;
const OPS = ['text', 'speaker', 'name', 'join', 'split', 'merge', 'replace'] as const;

/** Checked by this; `editsOf` then checks the members of each operation. */
export const EDITS_BODY = {
  type: 'object',
  additionalProperties: false,
  required: ['edits'],
  properties: {
    edits: {
      type: 'array',
      minItems: 1,
      maxItems: MOST_EDITS,
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['op'],
        properties: {
          op: { type: 'string', enum: OPS },
          utterance: TEXT,
          speaker: TEXT,
          name: { type: ['string', 'null'] },
          text: TEXT,
          into: TEXT,
          word: { type: 'integer', minimum: 0 },
          find: TEXT,
          with: TEXT,
          matchCase: { type: 'boolean' },
          wholeWords: { type: 'boolean' },
        },
      },
    },
  },
} as const;

export const EDITS_DOCUMENTED = s.named(
  'TranscriptEdits',
  s.object({ edits: { ...s.list(EDIT), minItems: 1, maxItems: MOST_EDITS, description: 'Applied in order, all or none.' } }),
);

export const EDIT_RECORD = s.named(
  'TranscriptEditRecord',
  s.resource({
    revision: s.described(s.ordinal, 'The revision that it made.'),
    time: s.time,
    actor: s.described(s.text, 'The credential or the person that made it.'),
    actorName: s.described(s.nullable(s.text), 'Its label, or the name of the person. Null once erased.'),
    edits: s.described({ type: ['array', 'null'], items: EDIT }, 'Null once the data of the stream are deleted.'),
    undone: s.described(s.flag, 'Whether an undo has taken it back.'),
  }),
);

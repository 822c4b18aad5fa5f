import * as s from '../../schema.ts';
import { type EventOf, event, eventWithKey, guardOf, personal } from '../eventForms.ts';
import { EDIT } from './edits.ts';

/** `attempt` is the stream's that made the transcription. `revision` counts from 1 within it. */
const members = { attempt: s.ordinal, revision: s.ordinal };

/**
 * Corrections of a stream's transcript. Event stream `transcript-<streamId>`. Their words are encrypted under a key of the event stream too, which is
 * destroyed with the data of the stream.
 */
export const TRANSCRIPT_EVENTS = {
  TranscriptEdited: eventWithKey(s.object({ ...members, edits: personal(s.list(EDIT)) })),
  /** Takes back the newest correction that is not undone. */
  TranscriptEditUndone: event(s.object(members)),
};

export type TranscriptEvent = EventOf<typeof TRANSCRIPT_EVENTS>;
export const isTranscriptEvent = guardOf(TRANSCRIPT_EVENTS);

const PREFIX = 'transcript-';

export const transcriptEventStream = (streamId: string): string => `${PREFIX}${streamId}`;

/** The stream whose transcript an event stream is about. */
export const streamOfTranscript = (eventStream: string): string => eventStream.slice(PREFIX.length);

import { loadStream } from '../../commands/loadStream.ts';
import { applyRevisions } from '../../commands/transcript/applyRevisions.ts';
import { findCorrections } from '../../commands/transcript/findCorrections.ts';
import type { SinkMessageBody } from '../../domain/stream/messageFrame.ts';
import { MESSAGE_SCHEMAS, type Transcription } from '../../domain/stream/messages.ts';
import { machineContent } from '../../domain/transcript/content.ts';
import type { Corrections } from '../../domain/transcript/corrections.ts';
import { speakerIdsOf } from '../../domain/transcript/speakers.ts';
import type { Json } from '../../json.ts';
import type { EventLog } from '../../stores/log/eventLog.ts';
import type { Runnable } from './chain.ts';

/** A rerun from a stage behind the transcription of an earlier attempt reads it as people have corrected it. */
export const correctionsFor = async (
  log: EventLog,
  { streamId, streamAttempt, link, sourceTopic }: Runnable,
): Promise<Corrections | null> => {
  if (streamAttempt === 1 || link.inputSchema !== MESSAGE_SCHEMAS.transcription) return null;
  const aggregate = await loadStream(log, streamId);
  const found = aggregate && (await findCorrections(log, aggregate, streamAttempt - 1));
  return found?.topic === sourceTopic ? found.corrections : null;
};

/** The final messages of a transcription with the corrections of people, and the names of speakers in their metadata. Other messages come first. */
export async function* correctedMessages(
  messages: AsyncIterable<SinkMessageBody>,
  corrections: Corrections,
): AsyncGenerator<SinkMessageBody> {
  const said: Transcription[] = [];
  for await (const message of messages) {
    // Safe cast: the platform's own processors wrote the payload under the schema that the message names.
    if (message.payloadSchema === MESSAGE_SCHEMAS.transcription) said.push(message.payload as unknown as Transcription);
    else yield message;
  }
  const { utterances, speakers } = await applyRevisions(machineContent(said, new Map(corrections.names)), corrections.edits);
  const names = new Map(speakers.map(({ id, name }) => [id, name]));
  for (const { message } of utterances) {
    const known = speakerIdsOf(message).flatMap((id) => (names.get(id) ? [[id, names.get(id)]] : []));
    const metadata = known.length > 0 ? { ...message.metadata, speakerNames: Object.fromEntries(known) } : message.metadata;
    const payload = { ...message, metadata } as unknown as Json;
    yield { frameType: 'final', payloadSchema: MESSAGE_SCHEMAS.transcription, payload, headers: {} };
  }
}

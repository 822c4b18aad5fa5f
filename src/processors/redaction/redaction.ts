import { MESSAGE_SCHEMAS, type Transcription } from '../../domain/stream/messages.ts';
import type { ProcessorDeclaration } from '../../domain/templates/template.ts';
import type { Processor } from '../processor.ts';
import { Redactor } from './redactor.ts';

/**
 * Replaces personal data in each utterance. Partial results are left out: they may show the beginning of a number that only the whole of it gives away.
 */
export const redactionProcessor = (declaration: ProcessorDeclaration): Processor => ({
  declaration,
  mode: 'batch',
  unavailable(properties) {
    new Redactor(properties);
    return null;
  },
  async run({ properties, input, output, signal }) {
    const redactor = new Redactor(properties);
    for await (const message of input.messages()) {
      signal.throwIfAborted();
      if (message.payloadSchema !== MESSAGE_SCHEMAS.transcription) {
        // The turns of speakers, which have no text.
        if (message.payloadSchema === MESSAGE_SCHEMAS.diarization) await output.message(message);
        continue;
      }
      // Safe cast: the transcribers wrote the message under the schema that it names.
      const { words, ...others } = redactor.transcription(message.payload as unknown as Transcription);
      const payload = { ...others, words: words.map((word) => ({ ...word })) };
      await output.message({ frameType: 'final', payloadSchema: message.payloadSchema, payload, headers: {} });
    }
    return {};
  },
});

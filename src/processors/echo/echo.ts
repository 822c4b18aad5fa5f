import type { ProcessorDeclaration } from '../../domain/templates/template.ts';
import type { Processor } from '../processor.ts';

/** Passes the bytes on as they come: live, so that its output is there while the upload still goes on. */
export const echoProcessor = (declaration: ProcessorDeclaration): Processor => ({
  declaration,
  mode: 'live',
  unavailable: () => null,
  async run({ input, output, signal }) {
    for await (const bytes of input.bytes()) {
      signal.throwIfAborted();
      await output.bytes(bytes);
    }
    return {};
  },
});

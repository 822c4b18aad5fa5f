import type { ProcessorDeclaration } from '../../domain/templates/template.ts';
import type { Processor } from '../processor.ts';

/** Copies the input bytes. Live, so output is available during the upload. */
export const echoProcessor = (declaration: ProcessorDeclaration): Processor => ({
  declaration,
  mode: 'live',
  light: true,
  unavailable: () => null,
  async run({ input, output, signal }) {
    for await (const bytes of input.bytes()) {
      signal.throwIfAborted();
      await output.bytes(bytes);
    }
    return {};
  },
});

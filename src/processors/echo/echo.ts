import type { ProcessorDeclaration } from '../../domain/templates/template.ts';
import { forEachItem } from '../../supervision/items.ts';
import type { Processor } from '../processor.ts';

/** Copies the input bytes. Live, so output is available during the upload. */
export const echoProcessor = (declaration: ProcessorDeclaration): Processor => ({
  declaration,
  mode: 'live',
  light: true,
  unavailable: () => null,
  async run({ input, output, signal }) {
    await forEachItem(input.bytes(), async (bytes) => {
      signal.throwIfAborted();
      await output.bytes(bytes);
    });
    return {};
  },
});

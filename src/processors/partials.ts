import { isDeclared } from '../domain/processorDeclarations/declaration.ts';
import { MESSAGE_SCHEMAS } from '../domain/stream/messages.ts';
import type { ChainLink } from '../domain/stream/streamConfiguration.ts';
import { uuidv5 } from '../domain/uuidv5.ts';

/**
 * Topic of the partial outputs of a live stage whose output is bytes or text, since the frames of such an output are the data and have no type. It holds
 * messages, and exists only while the stage runs.
 */
export const partialsTopic = (outputTopic: string): string => uuidv5(outputTopic, 'partials');

export const hasPartialsTopic = ({ mode, declarationId, outputSchema }: ChainLink): boolean =>
  mode === 'live' && isDeclared(declarationId) && (outputSchema === MESSAGE_SCHEMAS.bytes || outputSchema === MESSAGE_SCHEMAS.string);

import type { Schema } from '../../json.ts';
import {
  anyObject,
  type EventOf,
  event,
  guardOf,
  id,
  list,
  nullable,
  object,
  objectOf,
  oneOf,
  ordinal,
  personal,
  record,
  text,
} from '../eventForms.ts';
import { operationType } from '../stream/configurationSchema.ts';
import type { DeclarationLimits, DeclaredPrice, HttpDeclaration } from './declaration.ts';

const nameOrJsonSchema: Schema = { type: ['string', 'object'] };

/** The events of one user's own processors (`processorDeclarations-<subject>`), and of shared ones (`processorDeclarations-shared`). */
export const PROCESSOR_DECLARATIONS_EVENTS = {
  ProcessorDeclared: event(
    objectOf<HttpDeclaration>({
      id,
      version: ordinal,
      name: personal(text),
      description: personal(nullable(text)),
      url: personal(nullable(text)),
      mode: oneOf('batch', 'live'),
      inputSchema: nameOrJsonSchema,
      outputSchema: nameOrJsonSchema,
      propertiesJsonSchema: anyObject,
      defaultProperties: personal(anyObject),
      patchAliases: record(text),
      operationType,
      price: list(objectOf<DeclaredPrice>({ quantity: text, rate: text })),
      limits: objectOf<DeclarationLimits>({ attempts: ordinal, timeoutMs: ordinal, maxOutputBytes: ordinal, concurrency: ordinal }),
    }),
  ),
  /** The previous secret also signs until `previousValidUntil`. */
  ProcessorSecretRotated: event(object({ declarationId: id, generation: ordinal, previousValidUntil: text })),
  ProcessorDeclarationDeleted: event(object({ declarationId: id })),
};

export type ProcessorDeclarationsEvent = EventOf<typeof PROCESSOR_DECLARATIONS_EVENTS>;
export const isProcessorDeclarationsEvent = guardOf(PROCESSOR_DECLARATIONS_EVENTS);

export const SHARED_DECLARATIONS_EVENT_STREAM = 'processorDeclarations-shared';
export const processorDeclarationsEventStream = (subject: string): string => `processorDeclarations-${subject}`;

import * as s from '../../schema.ts';
import { type EventOf, event, guardOf } from '../eventForms.ts';
import { httpDeclaration } from './declaration.ts';

/** The events of one user's own processors (`processorDeclarations-<subject>`), and of shared ones (`processorDeclarations-shared`). */
export const PROCESSOR_DECLARATIONS_EVENTS = {
  ProcessorDeclared: event(httpDeclaration),
  /** The previous secret also signs until `previousValidUntil`. */
  ProcessorSecretRotated: event(s.object({ declarationId: s.id, generation: s.ordinal, previousValidUntil: s.text })),
  ProcessorDeclarationDeleted: event(s.object({ declarationId: s.id })),
};

export type ProcessorDeclarationsEvent = EventOf<typeof PROCESSOR_DECLARATIONS_EVENTS>;
export const isProcessorDeclarationsEvent = guardOf(PROCESSOR_DECLARATIONS_EVENTS);

export const SHARED_DECLARATIONS_EVENT_STREAM = 'processorDeclarations-shared';
export const processorDeclarationsEventStream = (subject: string): string => `processorDeclarations-${subject}`;

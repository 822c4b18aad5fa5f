import {
  anyObject,
  changedEvent,
  count,
  type EventOf,
  event,
  guardOf,
  id,
  list,
  nullable,
  object,
  objectOf,
  ordinal,
  personal,
  record,
  text,
} from '../eventForms.ts';
import { upcastTemplateSaved } from '../formerSchemaNames.ts';
import { egress } from '../stream/configurationSchema.ts';
import type { StreamConfigurationTemplate, TemplateProcessor } from './template.ts';

const templateProcessor = objectOf<TemplateProcessor>({
  id,
  name: personal(text),
  description: personal(nullable(text)),
  processorDeclaration: anyObject,
  previousProcessorId: nullable(text),
  propertiesSchema: text,
  properties: personal(anyObject),
  destinationTopicMessageHeaders: anyObject,
  destinationTopicHeaders: anyObject,
  sourceSubscriptionHeaders: anyObject,
  patchAliases: record(text),
  egress,
});

const template = objectOf<StreamConfigurationTemplate>({
  id,
  name: personal(text),
  description: personal(nullable(text)),
  version: ordinal,
  dataSourceSchema: text,
  processors: list(templateProcessor),
  patchAliases: record(text),
});

/** The events of one user's own templates and overlays (`templates-<subject>`), and of the built-in ones (`templates-builtin`). */
export const TEMPLATES_EVENTS = {
  // Version 2 has the public names of schemas.
  TemplateSaved: changedEvent(2, object({ template, baseVersion: nullable(count) }), { 1: upcastTemplateSaved }),
  TemplateDeleted: event(object({ templateId: id })),
};

export type TemplatesEvent = EventOf<typeof TEMPLATES_EVENTS>;
export const isTemplatesEvent = guardOf(TEMPLATES_EVENTS);

export const templatesEventStream = (subject: string): string => `templates-${subject}`;
export const BUILTIN_TEMPLATES_EVENT_STREAM = 'templates-builtin';

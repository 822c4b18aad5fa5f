import * as s from '../../schema.ts';
import { changedEvent, type EventOf, event, guardOf } from '../eventForms.ts';
import { upcastTemplateSaved } from '../formerSchemaNames.ts';
import { template } from './template.ts';

/** The events of one user's own templates and overlays (`templates-<subject>`), and of the built-in ones (`templates-builtin`). */
export const TEMPLATES_EVENTS = {
  // Version 2 has the public names of schemas.
  TemplateSaved: changedEvent(2, s.object({ template, baseVersion: s.nullable(s.count) }), { 1: upcastTemplateSaved }),
  TemplateDeleted: event(s.object({ templateId: s.id })),
};

export type TemplatesEvent = EventOf<typeof TEMPLATES_EVENTS>;
export const isTemplatesEvent = guardOf(TEMPLATES_EVENTS);

export const templatesEventStream = (subject: string): string => `templates-${subject}`;
export const BUILTIN_TEMPLATES_EVENT_STREAM = 'templates-builtin';

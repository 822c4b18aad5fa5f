import { categoryOf } from './eventFilter.ts';

/** The categories of this platform's event streams. A log may hold others, which other programs write. */
const OWN_CATEGORIES: ReadonlySet<string> = new Set([
  'audit',
  'credentials',
  'delivery',
  'group',
  'imports',
  'processorDeclarations',
  'reruns',
  'seals',
  'stream',
  'templates',
  'uploadKey',
  'webhookEndpoints',
]);

export const isOwnEventStream = (eventStream: string): boolean => OWN_CATEGORIES.has(categoryOf(eventStream));

import { categoryOf } from './eventFilter.ts';

/** The categories of this platform's event streams. Other programs may write other event streams to the log. */
const OWN_CATEGORIES: ReadonlySet<string> = new Set([
  'audit',
  'credentials',
  'delivery',
  'group',
  'imports',
  'person',
  'processorDeclarations',
  'reruns',
  'seals',
  'shares',
  'stream',
  'templates',
  'transcript',
  'uploadKey',
  'vocabularies',
  'webhookEndpoints',
]);

export const isOwnEventStream = (eventStream: string): boolean => OWN_CATEGORIES.has(categoryOf(eventStream));

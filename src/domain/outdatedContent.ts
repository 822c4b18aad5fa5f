/** Thrown by a decision: the content that was read for it has been changed since. Read it again, then decide again. */
export class OutdatedContent extends Error {
  override name = 'OutdatedContent';
}

/** One line for people. */
export const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? error.cause : null;
  const text =
    error.message === 'fetch failed' && cause
      ? `The server cannot be reached: ${cause.message || ('code' in cause ? String(cause.code) : 'no answer')}`
      : error.message;
  return text.replace(/\s*\n\s*/g, ' ');
};

import { badRequest } from '../errors/errors.ts';

const MAX_KEY = 255;

/** Headers are bytes; JSON text in them is read as UTF-8 if possible. */
export const headerText = (latin1: string): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(latin1, 'latin1'));
  } catch {
    return latin1;
  }
};

/** The `Idempotency-Key` of a request; `null` without one. Throws 400 for one that is empty or too long. */
export const idempotencyKey = (key: string | undefined): string | null => {
  if (key === undefined) return null;
  const text = headerText(key);
  if (text === '' || [...text].length > MAX_KEY) throw badRequest(`An Idempotency-Key must have 1 to ${MAX_KEY} characters.`);
  return text;
};

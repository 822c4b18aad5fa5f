import * as s from '../../schema.ts';

export const OPENAI_TAG = 'OpenAI-compatible endpoints';

/** The body of every refusal under `/v1`. */
export const OPENAI_ERROR = s.named(
  'OpenAiError',
  s.resource({ error: s.resource({ message: s.text, type: s.text, param: s.nullable(s.text), code: s.nullable(s.text) }) }),
);

/** Whether a path belongs to the OpenAI-compatible endpoints: they have credentials, errors and request ids of their own. */
export const isOpenAiPath = (path: string): boolean => path === '/v1' || path.startsWith('/v1/');

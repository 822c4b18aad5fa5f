import * as s from '../../schema.ts';

export const OPENAI_TAG = 'OpenAI-compatible endpoints';

/** The body of every refusal under `/v1`. */
export const OPENAI_ERROR = s.named(
  'OpenAiError',
  s.resource({ error: s.resource({ message: s.text, type: s.text, param: s.nullable(s.text), code: s.nullable(s.text) }) }),
);

import { named, resource, text, textOrNull } from '../input/jsonSchemas.ts';

export const OPENAI_TAG = 'OpenAI-compatible endpoints';

/** The body of every refusal under `/v1`. */
export const OPENAI_ERROR = named(
  'OpenAiError',
  resource({ error: resource({ message: text, type: text, param: textOrNull, code: textOrNull }) }),
);

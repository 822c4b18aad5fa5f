/** Whether a path belongs to the OpenAI-compatible endpoints: they have credentials, errors and request ids of their own. */
export const isOpenAiPath = (path: string): boolean => path === '/v1' || path.startsWith('/v1/');

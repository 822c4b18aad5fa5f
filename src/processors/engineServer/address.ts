/**
 * URL of an operation on an OpenAI-compatible server. Appends the path to the base address unless it is there already; a base may end in `/v1`.
 * Keeps a query (`?api-version=...`) and drops user information.
 */
export const operationAddress = (base: string, path: `/v1/${string}`): URL => {
  const url = new URL(base);
  url.username = '';
  url.password = '';
  url.hash = '';
  const before = url.pathname.replace(/\/+$/, '');
  if (before.endsWith(path)) url.pathname = before;
  else url.pathname = before.replace(/\/v1$/, '') + path;
  return url;
};

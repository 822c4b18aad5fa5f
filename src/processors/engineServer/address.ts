/**
 * Where an operation of an OpenAI-compatible server is: the path is appended to the base address unless it is there, and a base that ends
 * in `/v1`, as its documentation writes them, is taken as such. A query (`?api-version=...`) stays. User information is left out.
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

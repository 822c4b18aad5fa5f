const WILDCARDS = ['0.0.0.0', '::'];

/** Where the server can be called. A wildcard is not an address of anything. */
export const urlOf = (host: string, port: number): string => {
  if (WILDCARDS.includes(host)) return `http://localhost:${port}`;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
};

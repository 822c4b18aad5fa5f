import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import helmet from 'helmet';

/**
 * Helmet's headers, taken once: they are the same on every answer. Answers are data, so that nothing may be loaded or framed; a route
 * that answers a page says its own `Content-Security-Policy`. `Strict-Transport-Security` only behind https.
 */
export const securityHeaders = (https: boolean): Readonly<Record<string, string>> => {
  const incoming = new IncomingMessage(new Socket());
  const outgoing = new ServerResponse(incoming);
  helmet({
    contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
    strictTransportSecurity: https,
  })(incoming, outgoing, () => {});
  return Object.fromEntries(Object.entries(outgoing.getHeaders()).map(([name, value]) => [name, String(value)]));
};

import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import helmet from 'helmet';

/**
 * Helmet's headers, computed once because they never change. Answers are data, so they may load nothing and must not be framed; a route that serves a
 * page sets its own `Content-Security-Policy`. `Strict-Transport-Security` only with https.
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

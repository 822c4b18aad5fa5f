import helmet from 'helmet';
import type { Middleware } from './middleware.ts';

/**
 * Answers are data, so they may load nothing and must not be framed; a route that serves a page sets its own `Content-Security-Policy`. No answer is
 * cached unless its route says so. `Strict-Transport-Security` only with https.
 */
export const securityHeaders = (https: boolean): Middleware => {
  const set = helmet({
    contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
    strictTransportSecurity: https,
  });
  return (request, response, next) => {
    response.setHeader('Cache-Control', 'no-store');
    set(request, response, next);
  };
};

import type { CredentialDeps } from '../../commands/credentials.ts';
import { startLinkedSession } from '../../commands/sessions.ts';
import type { Problem } from '../../domain/problem.ts';
import * as s from '../../schema.ts';
import type { CredentialDirectory } from '../auth/credentialDirectory.ts';
import type { SessionCookie } from '../auth/sessionCookie.ts';
import { unauthenticated } from '../errors/errors.ts';
import { type BodyExamples, defineRoute, type Route } from '../route/route.ts';
import { deviceOf } from './device.ts';

export interface LinkRouteDeps extends CredentialDeps {
  readonly directory: Pick<CredentialDirectory, 'byLink' | 'forget'>;
  readonly cookie: SessionCookie;
}

const BODY = s.named('SignInLink', s.object({ token: s.described(s.textUpTo(100), 'The last part of the link.') }));

const EXAMPLES: BodyExamples = { link: { summary: 'A link', value: { token: 'Yf3cQmJ0b1n8u4Rk7wXz2VtLs6HdPg9EoAiCeTyKqUM' } } };

/** Uses up a sign-in link. The page behind the link sends this when its button is pressed, so that previews of links do not use them up. */
export const linkRoute = ({ directory, cookie, ...deps }: LinkRouteDeps): Route =>
  defineRoute({
    operationId: 'useSignInLink',
    tag: 'Credentials',
    method: 'POST',
    path: '/sign-in/link',
    summary: 'Signs in to the dashboard with a link from `tributary link`.',
    description: 'A link works once, for 15 minutes. The answer sets the cookie of a session.',
    access: 'open',
    body: { kind: 'json', schema: BODY, limitBytes: 1_024, examples: EXAMPLES },
    responses: {
      204: { description: 'Signed in.', headers: ['Set-Cookie'] },
      401: { description: 'The link was used already, or has expired.' },
      403: { description: 'The request does not come from a page of this server.' },
    },
    handle: async ({ body, incoming, header, correlationId }) => {
      cookie.checkOrigin(incoming);
      const link = await directory.byLink(body.token);
      if (!link) throw refused();
      const context = { subject: link.subject, actor: link.credentialId, correlationId, causationId: correlationId };
      const session = await startLinkedSession(deps, link, deviceOf(header('user-agent')), context);
      directory.forget(link.credentialId);
      if (!session) throw refused();
      const consistency = { position: session.position, projections: ['credentials'], shown: true } as const;
      return { status: 204, headers: { 'Set-Cookie': cookie.start(session.token) }, consistency };
    },
  });

const refused = (): Problem => unauthenticated('This link was used already or has expired. Make another one with tributary link.');

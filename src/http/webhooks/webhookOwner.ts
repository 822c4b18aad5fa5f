import type { AppendContext } from '../../commands/handle.ts';
import { UUID_SCHEMA } from '../input/uuid.ts';
import { commandContext, requestedSubject } from '../route/commandContext.ts';
import type { ApiRequest, QueryParameter } from '../route/route.ts';

const BASE = '/notification-service/api/v1/webhook-endpoints';

export const SUBJECT = {
  schema: UUID_SCHEMA,
  isId: true,
  description: 'Owner of the endpoints. Default: the caller. Only admins may name another.',
} as const satisfies QueryParameter;

type OwnedRequest = ApiRequest<unknown, { readonly subject?: string }>;

/** Shared by all operations on a user's webhook endpoints. They are folded from the log itself, so no read model is waited for. */
export const onWebhookEndpoints = <const Path extends string>(path: Path) =>
  ({
    tag: 'Webhook endpoints',
    path: `${BASE}${path}`,
    access: 'authenticated',
    query: { subject: SUBJECT },
    reads: [],
  }) as const;

/** The subject whose endpoints a request concerns. Throws 403 if it is another's and the caller is not an admin. */
export const webhookOwner = ({ caller, query }: Pick<OwnedRequest, 'caller' | 'query'>): string =>
  requestedSubject(caller, query.subject, 'Only an admin can use the webhook endpoints of others.');

/** The context of a command on those endpoints. */
export const webhookContext = (request: OwnedRequest): AppendContext => commandContext(request, webhookOwner(request));

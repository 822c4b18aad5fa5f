import type { AppendContext } from '../../commands/handle.ts';
import { hasRole } from '../../domain/credentials/caller.ts';
import { textValue } from '../input/queryValues.ts';
import { forbidden } from '../server/errors.ts';
import type { ApiRequest, QueryParameter, Route } from '../server/route.ts';

const BASE = '/notification-service/api/v1/webhook-endpoints';
const UUID = '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$';

const SUBJECT: QueryParameter = {
  schema: { type: 'string', pattern: UUID },
  isId: true,
  description: 'Owner of the endpoints. Default: the caller. Only admins may name another.',
};

/** Shared by all operations on a user's webhook endpoints. They are folded from the log itself, so no read model is waited for. */
export const onWebhookEndpoints = (path: string): Pick<Route, 'tag' | 'path' | 'access' | 'query' | 'reads'> & { query: object } => ({
  tag: 'Webhook endpoints',
  path: `${BASE}${path}`,
  access: 'authenticated',
  query: { subject: SUBJECT },
  reads: [],
});

/** The subject whose endpoints a request concerns. Throws 403 if it is another's and the caller is not an admin. */
export const webhookOwner = ({ caller, query }: Pick<ApiRequest, 'caller' | 'query'>): string => {
  const named = textValue(query, 'subject') ?? caller.subject;
  if (named !== caller.subject && !hasRole(caller, 'admin')) throw forbidden('Only an admin can use the webhook endpoints of others.');
  return named;
};

/** The context of a command on those endpoints. */
export const webhookContext = (request: ApiRequest): AppendContext => {
  const { caller, correlationId } = request;
  return { subject: webhookOwner(request), actor: caller.actor, correlationId, causationId: correlationId };
};

import { DAY_MILLISECONDS } from '../../clock.ts';
import { listShares, revokeShare, type ShareDeps, type ShareViews, shareStream } from '../../commands/shares.ts';
import { timeOf } from '../../domain/parseTime.ts';
import type { Share } from '../../domain/shares/state.ts';
import type { Shape } from '../../json.ts';
import * as s from '../../schema.ts';
import { forbidden } from '../errors/errors.ts';
import { UUID_SCHEMA } from '../input/uuid.ts';
import { commandContext } from '../route/commandContext.ts';
import { type ApiRequest, type ApiResponse, defineRoute, type Route } from '../route/route.ts';

export interface ShareRouteDeps extends ShareDeps {
  readonly views: ShareViews;
  readonly publicUrl: () => string;
  /** SHARING. */
  readonly isOn: boolean;
}

const PATH = '/stream-service/api/v1/streams/{streamId}/shares';
const SHARED = { tag: 'Shares', access: 'authenticated', reads: [] } as const;
const THIRTY_DAYS = 30 * DAY_MILLISECONDS;

const BODY = {
  title: 'ShareDraft',
  type: 'object',
  additionalProperties: false,
  properties: {
    expires: {
      type: ['string', 'null'],
      maxLength: 64,
      description: 'When the link ends, ISO 8601. Null: never. Absent: in 30 days.',
      examples: ['2030-01-01T00:00:00Z'],
    },
    media: { type: 'boolean', default: true, description: 'Whether the recording can be played and downloaded too.' },
  },
} as const;

const MEMBERS = { id: s.uuid, expires: s.described(s.nullable(s.time), 'Null: never.'), media: s.flag, createdTimestamp: s.time };
const SHARE = s.named(
  'Share',
  s.resource({
    ...MEMBERS,
    views: s.described(s.count, 'Loads of the page. Those of the last minute may be missing.'),
    lastViewed: s.described(s.nullable(s.time), 'To the minute. Null: never.'),
  }),
);
const NEW_SHARE = s.named('NewShare', s.resource({ ...MEMBERS, url: s.described(s.text, 'The link. Shown only in this answer.') }));

type OfStream<Body = unknown> = ApiRequest<{ readonly streamId: string }, unknown, Body>;

/** `/stream-service/api/v1/streams/{streamId}/shares`: links by which anyone reads a transcript without signing in. */
export const shareRoutes = (deps: ShareRouteDeps): Route[] => [
  defineRoute({
    ...SHARED,
    operationId: 'shareStream',
    method: 'POST',
    path: PATH,
    summary: 'Makes a link to the transcript. For its owner or an admin.',
    description:
      'Anyone who has the link can read the transcript, play the recording and download both, without signing in. The link is shown only once.',
    body: {
      kind: 'json',
      schema: BODY,
      required: false,
      examples: { week: { summary: 'Without the recording', value: { media: false } } },
    },
    holdsSecret: true,
    responses: {
      201: { description: 'The link.', schema: NEW_SHARE },
      403: { description: 'Sharing is switched off on this server.' },
      409: { description: 'The data of the stream are deleted.' },
    },
    handle: (request) => shared(deps, request),
  }),
  defineRoute({
    ...SHARED,
    operationId: 'findShares',
    method: 'GET',
    path: PATH,
    summary: 'The links to a stream, oldest first. For its owner or an admin.',
    description: 'Without the links themselves, which are shown only once. Revoked ones are left out.',
    responses: { 200: { description: 'The links.', schema: s.list(SHARE) } },
    handle: async (request) => {
      const shares = await listShares(deps, { streamId: request.params.streamId, caller: request.caller });
      return { status: 200, body: shares.map((share) => shown(share, deps.views.pending(share.id))) };
    },
  }),
  defineRoute({
    ...SHARED,
    operationId: 'revokeShare',
    method: 'DELETE',
    path: `${PATH}/{shareId}`,
    params: { shareId: { description: 'The link.', schema: UUID_SCHEMA, example: '0d5dd8a4-5a0c-4a9f-9a53-2e5b8f0a7c12' } },
    summary: 'Revokes a link. For the owner of the stream or an admin.',
    description: 'Its page is gone at once.',
    responses: { 204: { description: 'Revoked.' } },
    handle: async (request) => {
      const { streamId, shareId } = request.params;
      await revokeShare(deps, { streamId, shareId: shareId.toLowerCase(), caller: request.caller }, commandContext(request));
      return { status: 204 };
    },
  }),
];

const shared = async (deps: ShareRouteDeps, request: OfStream<Shape<typeof BODY> | undefined>): Promise<ApiResponse> => {
  if (!deps.isOn) throw forbidden('Sharing is switched off on this server (SHARING=off).');
  const { streamId } = request.params;
  const { expires, media = true } = request.body ?? {};
  const until = expires === undefined ? deps.clock.now() + THIRTY_DAYS : expires === null ? null : Date.parse(timeOf(expires, 'expires'));
  const { share, token } = await shareStream(deps, { streamId, caller: request.caller, expires: until, media }, commandContext(request));
  const { views: _views, lastViewed: _lastViewed, ...body } = shown(share, 0);
  return { status: 201, body: { ...body, url: `${deps.publicUrl()}/s/${token}` } };
};

const shown = ({ tokenHash: _hash, views, ...share }: Share, pending: number) => ({ ...share, views: views + pending });

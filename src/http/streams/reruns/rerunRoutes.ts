import { rerunOptions } from '../../../commands/reruns/rerunOptions.ts';
import { type RerunDeps, rerunStream } from '../../../commands/reruns/rerunStream.ts';
import type { JsonSchema, Shape } from '../../../json.ts';
import * as s from '../../../schema.ts';
import { idempotencyKey } from '../../input/idempotencyKey.ts';
import { commandContext } from '../../route/commandContext.ts';
import { type ApiRequest, type ApiResponse, defineRoute, type Route } from '../../route/route.ts';
import { SHOW_STREAMS } from '../streamLookup.ts';

/** Members that single and bulk reruns share. */
export const RERUN_MEMBERS = {
  from: { type: ['string', 'null'], maxLength: 255, description: 'Id of the stage to begin with. Absent: the whole chain runs again.' },
  patches: {
    type: ['object', 'null'],
    maxProperties: 1_000,
    additionalProperties: true,
    description: 'Alias or path to value, as in an upload. They apply to this attempt only.',
  },
  reason: { type: ['string', 'null'], maxLength: 1_024, description: 'Why the stream runs again. Recorded in the audit log.' },
} as const satisfies Readonly<Record<string, JsonSchema>>;

const BODY = { title: 'Rerun', type: 'object', additionalProperties: false, properties: RERUN_MEMBERS } as const;

type OfStream<Body = unknown> = ApiRequest<{ readonly streamId: string }, unknown, Body>;

const RERUN_ACCEPTED = s.named('RerunAccepted', s.resource({ streamId: s.uuid, attempt: s.count }));

const RERUN_OPTIONS = s.named(
  'RerunOptions',
  s.resource({
    streamId: s.uuid,
    options: s.list(
      s.named(
        'RerunOption',
        s.resource({
          from: s.described(s.nullable(s.text), 'Stage to begin with. Null is the whole chain.'),
          refusal: s.described(
            s.nullable(s.named('RerunRefusal', s.resource({ statusCode: s.integer, message: s.text }))),
            'What a rerun would answer. Null if it can begin there.',
          ),
        }),
      ),
    ),
  }),
);

const PATH = '/stream-service/api/v1/streams/{streamId}/rerun';

/** `POST /stream-service/api/v1/streams/{streamId}/rerun`: a stream runs again. */
export const rerunRoutes = (deps: RerunDeps): Route[] => [
  defineRoute({
    operationId: 'rerunStream',
    tag: 'Streams',
    method: 'POST',
    path: PATH,
    summary: 'Runs an ended stream again, from a stage or from its start.',
    description:
      'The stages before `from` are not run again; their outputs are read. `from` and every stage behind it run as a new attempt. Results of earlier attempts stay readable with `?attempt=`. Only the owner may rerun a stream.',
    access: 'authenticated',
    headers: ['Idempotency-Key'],
    body: {
      kind: 'json',
      schema: BODY,
      required: false,
      examples: { llm: { summary: 'Only the last stage again', value: { from: 'llm', reason: 'The language model was away.' } } },
    },
    responses: {
      202: { description: 'The new attempt has begun.', schema: RERUN_ACCEPTED },
      409: {
        description:
          'The stream is running, a stage before `from` has no complete output, or the key was used with another body. Also for a stream that has run 100 times, or whose earlier runs take more than 4 MiB with their properties.',
      },
      410: { description: 'The data of the stream are gone.' },
      429: { description: 'Too many streams of this user are running.' },
    },
    handle: (request) => rerun(deps, request),
  }),
  defineRoute({
    operationId: 'findRerunOptions',
    tag: 'Streams',
    method: 'GET',
    path: PATH,
    summary: 'Returns the stages that a rerun of the stream could begin with.',
    description: 'The whole chain comes first, then each stage with the reason if it cannot be the start. Only for the owner.',
    access: 'authenticated',
    reads: [],
    responses: { 200: { description: 'The stages.', schema: RERUN_OPTIONS } },
    handle: (request) => options(deps, request),
  }),
];

const options = async (deps: RerunDeps, { params: { streamId }, caller }: OfStream): Promise<ApiResponse> => {
  const shown = (await rerunOptions(deps, streamId, caller.subject)).map(({ from, refusal }) => ({
    from,
    refusal: refusal && { statusCode: refusal.statusCode, message: refusal.message },
  }));
  return { status: 200, body: { streamId, options: shown } };
};

const rerun = async (deps: RerunDeps, request: OfStream<Shape<typeof BODY> | undefined>): Promise<ApiResponse> => {
  const { params, caller, body: given = {} } = request;
  const { streamId } = params;
  const { from = null, patches, reason = null } = given;
  const { position, ...body } = await rerunStream(
    deps,
    { streamId, caller, from, patches: patches ?? {}, reason, idempotencyKey: idempotencyKey(request.header('Idempotency-Key')) },
    commandContext(request),
  );
  return { status: 202, body, consistency: { position, projections: SHOW_STREAMS } };
};

import * as s from '../../../schema.ts';
import { modelNotFound } from '../../errors/openAiErrors.ts';
import { OPENAI_TAG } from '../../errors/openAiSchemas.ts';
import { defineRoute, type Route } from '../../route/route.ts';
import type { SpeechModel, SpeechModels } from './speechModels.ts';

const MODEL = s.named(
  'OpenAiModel',
  s.resource({ id: s.text, object: s.oneOf('model'), created: s.integer, owned_by: s.oneOf('tributary') }),
);

const shown = ({ id, created }: SpeechModel) => ({ id, object: 'model', created, owned_by: 'tributary' });

/** The templates that transcribe, as OpenAI's clients list models. */
export const modelRoutes = (models: SpeechModels): Route[] => [
  defineRoute({
    operationId: 'listModels',
    tag: OPENAI_TAG,
    method: 'GET',
    path: '/v1/models',
    summary: 'The models that this server can run now.',
    description:
      "Each is a template that transcribes, under a name that `model` accepts: OpenAI's names first, then the names of templates.",
    access: 'authenticated',
    reads: [],
    responses: { 200: { description: 'The models.', schema: s.resource({ object: s.oneOf('list'), data: s.list(MODEL) }) } },
    handle: async ({ caller }) => ({ status: 200, body: { object: 'list', data: (await models.list(caller)).map(shown) } }),
  }),
  defineRoute({
    operationId: 'retrieveModel',
    tag: OPENAI_TAG,
    method: 'GET',
    path: '/v1/models/{model}',
    summary: 'One model.',
    description: '404 for a model that this server cannot run now, and 400 for a name of several templates.',
    access: 'authenticated',
    params: { model: { description: 'The name of the model.', schema: s.text, example: 'whisper-1' } },
    reads: [],
    responses: { 200: { description: 'The model.', schema: MODEL } },
    handle: async ({ caller, params }) => {
      const model = await models.find(caller, params.model);
      if (!model) throw modelNotFound(params.model);
      return { status: 200, body: shown(model) };
    },
  }),
];

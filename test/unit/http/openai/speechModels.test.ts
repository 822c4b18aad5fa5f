import { expect, test } from 'vitest';
import { keptOf } from '../../../../src/domain/templates/keptTemplate.ts';
import { shippedTemplate, type VisibleTemplate } from '../../../../src/domain/templates/state.ts';
import { SpeechModels } from '../../../../src/http/openai/models/speechModels.ts';
import { TRANSCRIPTION_TEMPLATE } from '../../../e2e/client.ts';

const CALLER = { subject: 'a', actor: 'a', roles: [] };

/** A user's templates that transcribe, by name. */
const modelsOf = (names: readonly string[]) => {
  const visible = names.map((name, n): VisibleTemplate => {
    return { template: { ...shippedTemplate(TRANSCRIPTION_TEMPLATE), id: String(n), name }, layer: 'user', origin: 'own' };
  });
  return new SpeechModels({
    templates: {
      list: async () =>
        visible.map(({ template, layer, origin }) => ({ ...keptOf(template), id: template.id, layer, origin, revision: 0 })),
      at: async (_, { id }) => visible[Number(id)] ?? null,
      find: async (_, id) => visible[Number(id)] ?? null,
    },
    planner: {
      prepare: async (parameters) => {
        const { template } = visible[Number(parameters.templateId)] ?? {};
        if (!template) throw new Error('no template');
        return { owner: 'a', labels: [], parameters, patched: template, template, maxBytes: 65_536, modes: new Map(), webhooks: [] };
      },
      checkEngines: async () => {},
    },
  });
};

test('a name of several templates is refused as a model, and not unknown', async () => {
  const models = modelsOf(['One', 'Two', 'One']);
  await expect(models.find(CALLER, 'One')).rejects.toMatchObject({ statusCode: 400, param: 'model' });
  expect(await models.find(CALLER, 'Two')).toMatchObject({ id: 'Two' });
  expect(await models.find(CALLER, 'Three')).toBeNull();
});

test('the list of models names a template by its id if another one has its name', async () => {
  const models = await modelsOf(['One', 'Two', 'One']).list(CALLER);
  expect(models.map(({ id }) => id)).toEqual(['0', 'Two', '2']);
});

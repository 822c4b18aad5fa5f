import { expect, test } from 'vitest';
import { keptOf } from '../../../../src/domain/templates/keptTemplate.ts';
import { shippedTemplate, type VisibleTemplate } from '../../../../src/domain/templates/state.ts';
import { SpeechModels } from '../../../../src/http/openai/models/speechModels.ts';
import { TRANSCRIPTION_TEMPLATE } from '../../../e2e/client.ts';
import { turnsOf } from '../../../turnsOf.ts';

const CALLER = { subject: 'a', actor: 'a', roles: [] };
const STEP_MILLISECONDS = 12;

/** A user's templates that transcribe, by name, on a server where each check takes some milliseconds of the processor. */
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
        for (const began = performance.now(); performance.now() - began < STEP_MILLISECONDS; );
        const { template } = visible[Number(parameters.templateId)] ?? {};
        if (!template) throw new Error('no template');
        return { owner: 'a', parameters, template, maxBytes: 65_536, modes: new Map(), webhooks: [] };
      },
      checkEngines: async () => {},
    },
  });
};

test('the list of models gives way to other work between templates', async () => {
  // A turn that earlier work has begun may count for the first one.
  const models = modelsOf(Array.from({ length: 11 }, (_, n) => `Mine ${n}`));
  expect(await turnsOf(() => models.list(CALLER))).toBeGreaterThanOrEqual(9);
});

test('the list of models names a template by its id if another one has its name', async () => {
  const models = await modelsOf(['One', 'Two', 'One']).list(CALLER);
  expect(models.map(({ id }) => id)).toEqual(['0', 'Two', '2']);
});

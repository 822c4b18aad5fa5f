import { expect, test } from 'vitest';
import { putTemplate } from '../../../src/commands/templates.ts';
import { EVENT_SCHEMAS } from '../../../src/domain/eventSchemas.ts';
import { TemplateLibrary } from '../../../src/http/templates/templateLibrary.ts';
import { collectGarbage } from '../collectGarbage.ts';
import { openedLog } from '../commands/openedLog.ts';

/** Nearly the 32 MiB of one user: the states of two users do not fit into the cache together. */
const TEMPLATES = 30;
/** Nearly the 1 MiB of memory that a template may take, in 42 KB of text. */
const VALUES = Array.from({ length: 14_000 }, () => ({}));

const filled = async () => {
  const { log } = openedLog(EVENT_SCHEMAS);
  const deps = { log, checkTemplate: async () => {} };
  const fill = async (subject: string): Promise<void> => {
    for (let n = 0; n < TEMPLATES; n += 1) {
      const draft = {
        name: 'heavy',
        processors: [{ id: 'echo', processorDeclarationId: 'echo', destinationTopicHeaders: { values: VALUES } }],
      };
      const request = { subject, scope: 'own', ifMatch: null, dryRun: false, id: null, draft } as const;
      await putTemplate(deps, request, { subject, actor: subject, correlationId: 'c', causationId: 'c' });
    }
  };
  return { fill, library: new TemplateLibrary(log) };
};

test('a list in use keeps its templates from being read into memory twice', async () => {
  const { fill, library } = await filled();
  await fill('a');
  const [first] = await library.list('a');
  await fill('b');
  await collectGarbage();
  const [again] = await library.list('a');
  expect(again?.template).toBe(first?.template);
});

import { expect, test } from 'vitest';
import { TemplateLibrary } from '../../../src/commands/templateLibrary.ts';
import { deleteTemplate, patchTemplate, putTemplate } from '../../../src/commands/templates.ts';
import { EVENT_SCHEMAS } from '../../../src/domain/eventSchemas.ts';
import { DEFAULT_LIMITS } from '../../../src/limits.ts';
import { TRANSCRIPTION_TEMPLATE } from '../../e2e/client.ts';
import { openedLog } from '../commands/openedLog.ts';

const CONTEXT = { subject: 'a', actor: 'a', correlationId: 'c', causationId: 'c' };
const REQUEST = { subject: 'a', scope: 'own', ifMatch: null, dryRun: false } as const;

const opened = () => {
  const { log } = openedLog(EVENT_SCHEMAS);
  const deps = { log, limits: DEFAULT_LIMITS, checkTemplate: async () => {} };
  const put = async (id: string | null, name: string): Promise<string> => {
    const draft = { name, processors: [{ id: 'echo', processorDeclarationId: 'echo' }] };
    return (await putTemplate(deps, { ...REQUEST, id, draft }, CONTEXT)).template.id;
  };
  return { deps, put, library: new TemplateLibrary(log) };
};

test('a listed template has the content of the version that was listed', async () => {
  const { deps, put, library } = opened();
  const id = await put(null, 'first');
  const [listed] = await library.list('a');
  if (!listed) throw new Error('no template');
  await put(id, 'second');
  const content = async () => (await library.at('a', listed))?.template;
  expect(await content()).toMatchObject({ id, name: 'first', version: 1 });
  expect((await library.find('a', id))?.template).toMatchObject({ id, name: 'second', version: 2 });
  await deleteTemplate(deps, { ...REQUEST, id }, CONTEXT);
  expect(await content()).toMatchObject({ id, name: 'first' });
  expect(await library.find('a', id)).toBeNull();
});

test('a built-in template is read as shipped, and its copy from the log', async () => {
  const { deps, library } = opened();
  const id = TRANSCRIPTION_TEMPLATE;
  const listed = (await library.list('a')).find((one) => one.id === id);
  expect(listed && (await library.at('a', listed))).toMatchObject({ layer: 'builtin', template: { id, version: 1 } });
  const patches = [{ op: 'replace', path: 'processors/transcriber/properties/vad', value: false, coerce: false }] as const;
  const visible = await patchTemplate(deps, { ...REQUEST, id, patches }, CONTEXT);
  expect(await library.find('a', id)).toEqual(visible);
  expect(visible).toMatchObject({ layer: 'user', origin: 'copy' });
  expect(visible.template.processors.find((one) => one.id === 'transcriber')?.properties.vad).toBe(false);
  expect(await library.builtin('a', id, 'builtin')).toMatchObject({ layer: 'builtin', template: { version: 1 } });
});

test('uploads that use a template at the same time share it', async () => {
  const { put, library } = opened();
  const id = await put(null, 'first');
  const first = await library.find('a', id);
  expect((await library.find('a', id))?.template).toBe(first?.template);
});

test('changes of a template at the same moment are all made, one after another', async () => {
  const { put, library } = opened();
  const id = await put(null, 'first');
  const names = Array.from({ length: 20 }, (_, n) => `name ${n}`);
  await Promise.all(names.map((name) => put(id, name)));
  const versions = await Promise.all(names.map(async (_, n) => (await library.find('a', id, n + 2))?.template.name));
  expect(versions.toSorted()).toEqual(names.toSorted());
});

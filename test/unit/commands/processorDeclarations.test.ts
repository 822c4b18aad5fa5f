import { describe, expect, test } from 'vitest';
import { forgetStates, handle } from '../../../src/commands/handle.ts';
import {
  declarationVersion,
  deleteDeclaration,
  findDeclaration,
  listDeclarations,
  listedDeclaration,
  saveDeclaration,
} from '../../../src/commands/processorDeclarations.ts';
import { EVENT_SCHEMAS } from '../../../src/domain/eventSchemas.ts';
import type { DeclarationContent } from '../../../src/domain/processorDeclarations/declaration.ts';
import { type ProcessorDeclarationsEvent, processorDeclarationsEventStream } from '../../../src/domain/processorDeclarations/events.ts';
import { declarationSummariesDecider } from '../../../src/domain/processorDeclarations/state.ts';
import { DEFAULT_LIMITS } from '../../../src/limits.ts';
import { openedLog } from './openedLog.ts';

const SUBJECT = 'someone';
const scope = { subject: SUBJECT };
const by = { subject: SUBJECT, actor: SUBJECT, correlationId: 'c', causationId: 'c' };
const eventStream = processorDeclarationsEventStream(SUBJECT);
const UNKNOWN = '0123456789abcdef01234567';

const content = (name: string, more: Partial<DeclarationContent> = {}): DeclarationContent => ({
  ...{ name, description: null, url: 'https://example.com/', mode: 'batch', inputSchema: 'bytes', outputSchema: 'bytes' },
  ...{ propertiesJsonSchema: {}, defaultProperties: {}, patchAliases: {}, operationType: 'NO_OPERATION', price: [] },
  limits: { attempts: 1, timeoutMs: 1_000, maxOutputBytes: 1_000, concurrency: 1 },
  ...more,
});

/** `beforeContent` runs before each read of one content. */
const opened = () => {
  const { store, log, another } = openedLog(EVENT_SCHEMAS);
  const reads = { ofContents: 0, beforeContent: async (): Promise<unknown> => null };
  const readStream = store.readStream.bind(store);
  store.readStream = async (name, options) => {
    if (options?.limit !== 1) return readStream(name, options);
    reads.ofContents += 1;
    const events = await readStream(name, options);
    await reads.beforeContent();
    return events;
  };
  const save = (id: string | null, saved: DeclarationContent) =>
    saveDeclaration({ log, limits: DEFAULT_LIMITS }, { id, scope, content: saved }, by);
  /** Another node declares a version, whatever the newest one is. */
  const elsewhere = another();
  const declareElsewhere = (id: string, declared: DeclarationContent) =>
    handle(
      { log: elsewhere },
      {
        eventStream,
        decider: declarationSummariesDecider,
        decide: ({ declarations }): ProcessorDeclarationsEvent[] => [
          { type: 'ProcessorDeclared', data: { id, version: (declarations[id]?.newest.version ?? 0) + 1, ...declared } },
        ],
        context: by,
      },
    );
  return { log, reads, save, declareElsewhere };
};

test('a declaration from before the limit of its size is found whole', async () => {
  const { log, declareElsewhere } = opened();
  const large = content('large', { propertiesJsonSchema: { description: 'x'.repeat(200_000) } });
  await declareElsewhere(UNKNOWN, large);
  expect(await findDeclaration(log, SUBJECT, UNKNOWN)).toMatchObject({ newest: { id: UNKNOWN, version: 1, ...large } });
});

describe('the next version of a processor', () => {
  test('is not stored if it equals the newest one', async () => {
    const { log, save } = opened();
    const { id } = await save(null, content('mine'));
    const { newest, history } = await save(id, content('mine'));
    expect([newest, history.newest.version]).toEqual([{ id, version: 1, ...content('mine') }, 1]);
    expect(await log.readStream(eventStream)).toHaveLength(1);
  });

  test('is decided on the newest content if another version comes in between', async () => {
    const { log, reads, save, declareElsewhere } = opened();
    const { id } = await save(null, content('first'));
    reads.beforeContent = async () => {
      reads.beforeContent = async () => null;
      await declareElsewhere(id, content('wanted'));
    };
    expect((await save(id, content('wanted'))).newest).toMatchObject({ version: 2, name: 'wanted' });
    // A content that is still in use is not read again.
    forgetStates(log);
    reads.beforeContent = async () => {
      reads.beforeContent = async () => null;
      await declareElsewhere(id, content('other'));
    };
    expect((await save(id, content('wanted'))).newest).toMatchObject({ version: 4, name: 'wanted' });
    const names = (await log.readStream(eventStream)).map(({ data }) => [Reflect.get(data, 'version'), Reflect.get(data, 'name')]);
    expect(names).toEqual([
      [1, 'first'],
      [2, 'wanted'],
      [3, 'other'],
      [4, 'wanted'],
    ]);
  });

  test('is refused with 409 if other versions keep coming in between', async () => {
    const { reads, save, declareElsewhere } = opened();
    const { id } = await save(null, content('first'));
    reads.beforeContent = () => declareElsewhere(id, content('other'));
    await expect(save(id, content('mine'))).rejects.toMatchObject({ internalErrorName: 'GENERAL_CONFLICT_ERROR' });
    expect(reads.ofContents).toBeLessThan(50);
  });

  test('does not conflict with others that are declared on the same node at the same time', async () => {
    const { reads, save } = opened();
    const { id } = await save(null, content('0'));
    const saved = await Promise.all(Array.from({ length: 20 }, (_, n) => save(id, content(`${n + 1}`))));
    expect(saved.map(({ newest }) => newest.version)).toEqual(Array.from({ length: 20 }, (_, n) => n + 2));
    expect(reads.ofContents).toBe(20);
  });

  test('is refused with 403 for an unknown or deleted processor, without reading its content', async () => {
    const { log, reads, save } = opened();
    const { id } = await save(null, content('mine'));
    await deleteDeclaration({ log }, { id, scope }, by);
    for (const one of [id, UNKNOWN])
      await expect(save(one, content('mine'))).rejects.toMatchObject({ internalErrorName: 'GENERAL_AUTHORIZATION_ERROR' });
    expect(reads.ofContents).toBe(0);
  });
});

describe('contents of processor declarations', () => {
  test('are found in their newest and earlier versions, of deleted declarations too', async () => {
    const { log, save } = opened();
    const { id } = await save(null, content('first'));
    await save(id, content('second'));
    await deleteDeclaration({ log }, { id, scope }, by);
    const found = await findDeclaration(log, SUBJECT, id);
    if (!found) throw new Error('not found');
    expect(found).toMatchObject({ id, origin: 'own', history: { deleted: true }, newest: { version: 2, name: 'second' } });
    expect(await declarationVersion(log, SUBJECT, found, 1)).toMatchObject({ version: 1, name: 'first' });
    expect(await declarationVersion(log, SUBJECT, found, 3)).toBeNull();
    expect(await findDeclaration(log, SUBJECT, UNKNOWN)).toBeNull();
  });

  test('are those of the listed version, even if it was replaced or deleted since', async () => {
    const { log, save } = opened();
    const [{ id: replaced }, { id: deleted }] = [await save(null, content('a')), await save(null, content('b'))];
    const shared = await saveDeclaration({ log, limits: DEFAULT_LIMITS }, { id: null, scope: 'shared', content: content('c') }, by);
    const listed = await listDeclarations(log, SUBJECT);
    await save(replaced, content('new'));
    await deleteDeclaration({ log }, { id: deleted, scope }, by);
    const contents = await Promise.all(listed.map((reference) => listedDeclaration(log, SUBJECT, reference)));
    expect(contents.map((one) => [one?.id, one?.name]).sort()).toEqual(
      [
        [replaced, 'a'],
        [deleted, 'b'],
        [shared.id, 'c'],
      ].sort(),
    );
  });
});

import { describe, expect, test } from 'vitest';
import { OutdatedContent } from '../../../src/domain/outdatedContent.ts';
import { declareProcessor, deleteProcessorDeclaration, redeclareProcessor } from '../../../src/domain/processorDeclarations/decisions.ts';
import type { DeclarationContent } from '../../../src/domain/processorDeclarations/declaration.ts';
import type { ProcessorDeclarationsEvent } from '../../../src/domain/processorDeclarations/events.ts';
import { declarationSummariesDecider, historyOf } from '../../../src/domain/processorDeclarations/state.ts';
import { DEFAULT_LIMITS } from '../../../src/limits.ts';

const { evolve, initialState } = declarationSummariesDecider;

const content = (propertiesJsonSchema: object): DeclarationContent => ({
  ...{ name: 'mine', description: null, url: 'https://example.com/', mode: 'batch', inputSchema: 'bytes', outputSchema: 'bytes' },
  ...{
    propertiesJsonSchema: { ...propertiesJsonSchema },
    defaultProperties: {},
    patchAliases: {},
    operationType: 'NO_OPERATION',
    price: [],
  },
  limits: { attempts: 1, timeoutMs: 1_000, maxOutputBytes: 1_000, concurrency: 1 },
});
/** The first version of `a`, as read from the log. */
const first = { revision: 0, declaration: { id: 'a', version: 1, ...content({}) } };

const large = (length: number) => content({ description: 'x'.repeat(length) });
const fold = (...events: ProcessorDeclarationsEvent[]) => events.reduce((state, event) => evolve(state, event, ''), initialState());
const declared = (id: string, what = content({})) => fold(...declareProcessor(initialState(), id, what, DEFAULT_LIMITS));
const tooLarge = expect.objectContaining({ statusCode: 400, internalErrorName: 'GENERAL_BAD_REQUEST_ERROR' });

describe("the limits of a user's processor declarations", () => {
  test('reject one of more than 64 KiB, and such a next version', () => {
    expect(declareProcessor(initialState(), 'a', large(65_000), DEFAULT_LIMITS)).toHaveLength(1);
    expect(() => declareProcessor(initialState(), 'a', large(65_536), DEFAULT_LIMITS)).toThrow(tooLarge);
    expect(() => redeclareProcessor(declared('a'), 'a', large(65_536), first, DEFAULT_LIMITS)).toThrow(tooLarge);
  });

  test('let a larger one from before the limit be used, and declared again as it is or smaller', () => {
    const before = { revision: 0, declaration: { id: 'a', version: 1, ...large(200_000) } };
    const state = fold({ type: 'ProcessorDeclared', data: before.declaration });
    expect(historyOf(state, 'a')).toMatchObject({ newest: { version: 1 }, deleted: false });
    expect(redeclareProcessor(state, 'a', large(200_000), before, DEFAULT_LIMITS)).toEqual([]);
    expect(redeclareProcessor(state, 'a', content({}), before, DEFAULT_LIMITS)).toHaveLength(1);
  });

  test('reject the 101st with 429, without deleted ones', () => {
    const full = fold(
      ...Array.from({ length: 100 }, (_, n) => declareProcessor(initialState(), `p${n}`, content({}), DEFAULT_LIMITS)).flat(),
    );
    expect(() => declareProcessor(full, 'a', content({}), DEFAULT_LIMITS)).toThrow(
      expect.objectContaining({ statusCode: 429, internalErrorName: 'STREAM_USAGE_LIMIT_REACHED', headers: {} }),
    );
    const room = deleteProcessorDeclaration(full, 'p7').reduce((state, event) => evolve(state, event, ''), full);
    expect(declareProcessor(room, 'a', content({}), DEFAULT_LIMITS)).toHaveLength(1);
  });
});

test('the next version of a processor is not decided on a version that has been replaced', () => {
  const before = declared('a');
  const replacing = redeclareProcessor(before, 'a', large(1), first, DEFAULT_LIMITS);
  expect(replacing).toMatchObject([{ data: { id: 'a', version: 2 } }]);
  const replaced = replacing.reduce((state, event) => evolve(state, event, ''), before);
  for (const read of [first, null])
    expect(() => redeclareProcessor(replaced, 'a', content({}), read, DEFAULT_LIMITS)).toThrow(OutdatedContent);
});

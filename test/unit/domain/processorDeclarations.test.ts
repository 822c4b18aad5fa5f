import { describe, expect, test } from 'vitest';
import { OutdatedContent } from '../../../src/domain/outdatedContent.ts';
import { declareProcessor, deleteProcessorDeclaration, redeclareProcessor } from '../../../src/domain/processorDeclarations/decisions.ts';
import type { DeclarationContent } from '../../../src/domain/processorDeclarations/declaration.ts';
import { declarationSummariesDecider } from '../../../src/domain/processorDeclarations/state.ts';

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
const objects = (count: number) => ({ enum: Array.from({ length: count }, () => ({})) });

describe('the memory of processor declarations', () => {
  test('rejects a declaration whose small values take more than 1 MiB together', () => {
    expect(declareProcessor(initialState(), 'a', content(objects(10_000)))).toHaveLength(1);
    expect(() => declareProcessor(initialState(), 'a', content(objects(20_000)))).toThrow('The limit is 1048576');
    const small = declareProcessor(initialState(), 'a', content({})).reduce((state, event) => evolve(state, event, ''), initialState());
    expect(() => redeclareProcessor(small, 'a', content(objects(20_000)), first)).toThrow('The limit is 1048576');
  });

  test('counts deleted declarations, which streams may still need', () => {
    let state = initialState();
    const fill = (): void => {
      for (let n = 0; n < 100; n++) {
        const declared = declareProcessor(state, `p${n}`, content(objects(12_000)));
        for (const event of declared) state = evolve(state, event, '');
        for (const event of deleteProcessorDeclaration(state, `p${n}`)) state = evolve(state, event, '');
      }
    };
    expect(fill).toThrow('deleted ones included, take more than 33554432 bytes');
    expect(declareProcessor(state, 'small', content({}))).toHaveLength(1);
  });
});

test('the next version of a processor is not decided on a version that has been replaced', () => {
  const events = [...declareProcessor(initialState(), 'a', content({}))];
  const declared = events.reduce((state, event) => evolve(state, event, ''), initialState());
  const replacing = redeclareProcessor(declared, 'a', content(objects(1)), first);
  expect(replacing).toMatchObject([{ data: { id: 'a', version: 2 } }]);
  const replaced = replacing.reduce((state, event) => evolve(state, event, ''), declared);
  for (const read of [first, null]) expect(() => redeclareProcessor(replaced, 'a', content({}), read)).toThrow(OutdatedContent);
});

import { describe, expect, test } from 'vitest';
import type { GroupEvent } from '../../../src/domain/group/events.ts';
import { groupDecider } from '../../../src/domain/group/state.ts';
import { declareProcessor } from '../../../src/domain/processorDeclarations/decisions.ts';
import type { DeclarationContent } from '../../../src/domain/processorDeclarations/declaration.ts';
import { declarationSummariesDecider } from '../../../src/domain/processorDeclarations/state.ts';
import { BUILTIN_TEMPLATES } from '../../../src/domain/templates/builtinTemplates.ts';
import type { TemplatesEvent } from '../../../src/domain/templates/events.ts';
import { ownTemplatesDecider } from '../../../src/domain/templates/state.ts';
import { DEFAULT_LIMITS } from '../../../src/limits.ts';
import { operationsOf } from '../http/input/countedOperations.ts';

const TIME = '2026-01-01T00:00:00.000Z';
const FEW = 250;
const TIMES = 16;
/** A list that is copied at every event takes about a hundred times as much work for 16 times the events. */
const MOST = 2 * TIMES;

const [template] = BUILTIN_TEMPLATES;
if (!template) throw new Error('no template is built in');

const saved = (version: number): TemplatesEvent => ({
  type: 'TemplateSaved',
  data: { template: { ...template, id: 'a', version, processors: [] }, baseVersion: null },
});

const content: DeclarationContent = {
  ...{ name: 'mine', description: null, url: 'https://example.com/', mode: 'batch', inputSchema: 'bytes', outputSchema: 'bytes' },
  ...{ propertiesJsonSchema: {}, defaultProperties: {}, patchAliases: {}, operationType: 'NO_OPERATION', price: [] },
  limits: { attempts: 1, timeoutMs: 1_000, maxOutputBytes: 1_000, concurrency: 1 },
};
const [declared] = declareProcessor(declarationSummariesDecider.initialState(), 'a', content, DEFAULT_LIMITS);
if (!declared) throw new Error('nothing was declared');

/** Counted operations, so that a busy machine changes nothing. */
const worksOf = <State, E>(
  { initialState, evolve }: { initialState(): State; evolve(state: State, event: E, time: string): State },
  eventOf: (n: number) => E,
) => {
  const fold = (count: number) => {
    let state = initialState();
    for (let n = 1; n <= count; n += 1) state = evolve(state, eventOf(n), TIME);
  };
  return { few: operationsOf(() => fold(FEW)), many: operationsOf(() => fold(FEW * TIMES)) };
};

const [PRIME, INVERSE, START] = [0x01000193, 0x359c449b, 0x811c9dc5];
const UNITS = 65_536;

/** Keys whose FNV-1a hash is 0. Callers compute them as quickly: from the hash of any beginning, two more characters lead back to 0. */
const collidingKeys = (count: number): string[] => {
  const lasts = new Map<number, readonly [number, number]>();
  for (let last = 0; last < UNITS; last += 1) {
    const before = Math.imul(last, INVERSE);
    lasts.set(before >>> 16, [before, last]);
  }
  const keys: string[] = [];
  for (let n = 0; keys.length < count; n += 1) {
    let hash = START;
    for (const character of `${n}-`) hash = Math.imul(hash ^ character.charCodeAt(0), PRIME);
    const [before, last] = lasts.get(hash >>> 16) ?? [];
    if (before !== undefined && last !== undefined) keys.push(`${n}-${String.fromCharCode((before ^ hash) & 0xffff, last)}`);
  }
  return keys;
};

describe('folding takes time proportional to the number of events', () => {
  test('of a template that is saved repeatedly', () => {
    const { few, many } = worksOf(ownTemplatesDecider, saved);
    expect(many).toBeLessThan(MOST * few);
  });

  test('of a processor that is declared repeatedly', () => {
    const { few, many } = worksOf(declarationSummariesDecider, () => declared);
    expect(many).toBeLessThan(MOST * few);
  });

  test('of a group whose streams have ids chosen for equal hashes', () => {
    const keys = collidingKeys(FEW * TIMES);
    const joined = (n: number): GroupEvent =>
      n === 1
        ? { type: 'GroupCreated', data: { groupId: 'g', creatorId: 'c' } }
        : { type: 'StreamJoined', data: { groupId: 'g', streamId: keys[n - 1] ?? '', streamSubject: 'c', webhooks: [] } };
    const { few, many } = worksOf(groupDecider, joined);
    expect(many).toBeLessThan(MOST * few);
  });
});

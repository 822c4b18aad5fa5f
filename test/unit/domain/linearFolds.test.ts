import { describe, expect, test } from 'vitest';
import { declareProcessor } from '../../../src/domain/processorDeclarations/decisions.ts';
import type { DeclarationContent } from '../../../src/domain/processorDeclarations/declaration.ts';
import { processorDeclarationsDecider } from '../../../src/domain/processorDeclarations/state.ts';
import { BUILTIN_TEMPLATES } from '../../../src/domain/templates/builtinTemplates.ts';
import type { TemplatesEvent } from '../../../src/domain/templates/events.ts';
import { ownTemplatesDecider } from '../../../src/domain/templates/state.ts';
import type { WebhookEndpointsEvent } from '../../../src/domain/webhookEndpoints/events.ts';
import { webhookEndpointsDecider } from '../../../src/domain/webhookEndpoints/state.ts';
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
const [declared] = declareProcessor(processorDeclarationsDecider.initialState(), 'a', content);
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

describe('folding takes time proportional to the number of events', () => {
  test('of a template that is saved repeatedly', () => {
    const { few, many } = worksOf(ownTemplatesDecider, saved);
    expect(many).toBeLessThan(MOST * few);
  });

  test('of a processor that is declared repeatedly', () => {
    const { few, many } = worksOf(processorDeclarationsDecider, () => declared);
    expect(many).toBeLessThan(MOST * few);
  });

  test('of dynamic webhooks that are disabled one after another', () => {
    const { few, many } = worksOf(
      webhookEndpointsDecider,
      (n): WebhookEndpointsEvent => ({ type: 'EndpointDisabled', data: { endpointId: `d${n}`, reason: 'gone' } }),
    );
    expect(many).toBeLessThan(MOST * few);
  });
});

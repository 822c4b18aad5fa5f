import { expect } from 'vitest';
import { TEXT_TEMPLATE } from '../../e2e/client.ts';
import { type Attack, repeat, type Target } from '../attack.ts';

const TEMPLATES = '/stream-configuration-service/api/v1/stream-configuration-templates';
const LANES = 3;

const question = (specification: object) => ({ content: 'Which?', responseFormat: { specification: JSON.stringify(specification) } });

/** Templates whose compilation used to block the event loop for 6 seconds. */
const templateOf = (processors: number, specification: (number: number) => object) => ({
  name: 'attack',
  dataSourceSchema: 'string',
  processors: Array.from({ length: processors }, (_, p) => ({
    id: `llm${p}`,
    processorDeclarationId: 'llm',
    properties: { askAnything: Object.fromEntries([0, 1, 2].map((n) => [String(n), question(specification(p * 3 + n))])) },
  })),
});

const branches = (seed: number) => ({
  anyOf: Array.from({ length: 400 }, (_, n) => ({ properties: { [`a${n}_${seed}`]: { pattern: `^(?=x)${n}(y+)+$` } } })),
});

const put = async ({ url, headers, signal }: Target, body: object): Promise<number> => {
  const options = { method: 'PUT', headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body), signal };
  const answer = await fetch(`${url}${TEMPLATES}`, options);
  await answer.arrayBuffer();
  return answer.status;
};

/** An upload whose answers are checked against a pattern that backtracks. */
const upload = async ({ url, headers, signal }: Target): Promise<number> => {
  const format = JSON.stringify({ type: 'string', pattern: '^(?=a)(a+)+$' });
  const query = new URLSearchParams({ streamConfigurationTemplateId: TEXT_TEMPLATE, ask0: 'aaa', ask0Format: format });
  const body = `${'a'.repeat(60)}! `.repeat(20);
  const answer = await fetch(`${url}/http-gateway/api/v1/upload?${query}`, { method: 'POST', headers, body, signal });
  await answer.arrayBuffer();
  return answer.status;
};

/** Response formats that are many, slow to compile, and slow to apply. */
export const callerSchemas: Attack = {
  name: 'caller-schemas',
  by: 'a user',
  run: (target) => {
    let seed = 0;
    return repeat(target.signal, LANES, async (lane) => {
      if (lane === 0)
        target.count(
          await put(
            target,
            templateOf(45, (n) => ({ type: 'object', title: `${n}` })),
          ),
        );
      else if (lane === 1)
        target.count(
          await put(
            target,
            templateOf(1, () => branches(++seed)),
          ),
        );
      else target.count(await upload(target));
    });
  },
  check: ({ outcomes }) => {
    expect([...outcomes.keys()].filter((status) => !['200', '400', '429'].includes(status))).toEqual([]);
    expect(outcomes.size).toBeGreaterThan(0);
  },
};

import { describe, expect, test } from 'vitest';
import type { Stream, StreamComponents } from '../../../web/src/api/types.ts';
import { chainOf } from '../../../web/src/pages/streams/chainOf.ts';
import { type Box, layOut } from '../../../web/src/parts/chainLayout.ts';

/** id, what it reads, whether it is a sink. */
type Link = readonly [id: string, reads: string | null, sink: boolean];

const chain = (...links: readonly Link[]) => {
  const processors = links.map(([id, reads, sink]) => ({
    id,
    source: { topic: reads ?? 'source', messageSchema: 'bytes' },
    destination: { topic: id, messageSchema: 'bytes' },
    properties: {},
    egress: { persist: false, sink, tags: [] },
  }));
  const stream = { configuration: { dataSource: { topic: 'source', messageSchema: 'bytes' }, processors } } as unknown as Stream;
  const components: StreamComponents = {
    state: 'READY',
    advice: null,
    gateway: { state: 'CONNECTED', stateChangedTimestamp: '' },
    processors: [],
  };
  return chainOf(stream, components);
};

const overlaps = (a: Box, b: Box): boolean => a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

describe('the picture of a chain', () => {
  const branched = chain(['late', 'early', true], ['early', null, true], ['other', null, true]);

  test.each([1_000, 340, 300])('of %i pixels shows every box and edge, without overlaps, inside the picture', (width) => {
    const { boxes, edges, height } = layOut(branched, width);
    expect(boxes).toHaveLength(7);
    expect(edges).toHaveLength(6);
    for (const box of boxes) {
      expect(box.x + box.width).toBeLessThanOrEqual(width);
      expect(box.y + box.height).toBeLessThanOrEqual(height);
      expect(boxes.filter((other) => other !== box && overlaps(box, other))).toEqual([]);
    }
  });

  test('places a processor after its source, whatever their order', () => {
    const { boxes } = layOut(branched, 1_000);
    const x = (id: string) => boxes.find(({ node }) => node.id === id && node.kind !== 'sink')?.x ?? -1;
    expect(x('source')).toBeLessThan(x('early'));
    expect(x('early')).toBeLessThan(x('late'));
    expect(x('other')).toBe(x('early'));
  });
});

describe('a sink in the picture', () => {
  const lineOf = (stream: Stream['state'], state: StreamComponents['processors'][number]['state'], persist = true) => {
    const configuration = {
      dataSource: { topic: 'source', messageSchema: 'bytes' },
      processors: [
        {
          id: 'a',
          source: { topic: 'source' },
          destination: { topic: 'a', messageSchema: 'bytes' },
          egress: { persist, sink: true, tags: [] },
        },
      ],
    };
    const processors = [{ processorId: 'a', state, stateChangedTimestamp: '', stateDescription: null, startedTimestamp: null }];
    const components: StreamComponents = {
      state: stream,
      advice: null,
      gateway: { state: 'CLOSED', stateChangedTimestamp: '' },
      processors,
    };
    return chainOf({ state: stream, configuration } as unknown as Stream, components).at(-1)?.line;
  };

  test.each([
    ['READY', 'WAITING', 'no result yet'],
    ['READY', 'RUNNING', 'result being made'],
    ['READY', 'COMPLETED', 'result, kept for export'],
    ['FAILED', 'COMPLETED', 'result, kept for export'],
    ['FAILED', 'CLOSED', 'no result'],
    ['FAILED', 'ERROR', 'no result'],
    ['EXPIRED', 'COMPLETED', 'result deleted'],
    ['EXPIRED', 'CLOSED', 'no result'],
  ] as const)('of a %s stream whose stage is %s says: %s', (stream, state, line) => {
    expect(lineOf(stream, state)).toBe(line);
  });

  test('that is not persistent says so', () => expect(lineOf('COMPLETED', 'COMPLETED', false)).toBe('result, not kept'));
});

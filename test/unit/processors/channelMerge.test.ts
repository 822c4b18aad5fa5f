import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ChannelMerge, type ChannelUtterance } from '../../../src/processors/transcriber/channelMerge.ts';

const taken = (merge: ChannelMerge<ChannelUtterance>): ChannelUtterance[] => {
  const all: ChannelUtterance[] = [];
  for (let next = merge.next(); next; next = merge.next()) all.push(next);
  return all;
};

describe('utterances of two channels', () => {
  test('wait until the other channel has an utterance, and are ordered by start', () => {
    const merge = new ChannelMerge<ChannelUtterance>(2);
    merge.add({ channel: 0, start: 100 });
    merge.add({ channel: 0, start: 900 });
    expect(taken(merge)).toEqual([]);
    merge.add({ channel: 1, start: 500 });
    expect(taken(merge).map(({ start }) => start)).toEqual([100, 500]);
    merge.end();
    expect(taken(merge).map(({ start }) => start)).toEqual([900]);
  });

  test('do not wait for a channel that is silent past their start', () => {
    const merge = new ChannelMerge<ChannelUtterance>(2);
    merge.add({ channel: 0, start: 100 });
    merge.settle([400, 100]);
    expect(taken(merge)).toEqual([]);
    merge.settle([700, 600]);
    expect(taken(merge)).toEqual([{ channel: 0, start: 100 }]);
  });

  test('are ordered by start for any input', () => {
    const gaps = fc.array(fc.nat(1_000), { maxLength: 20 });
    fc.assert(
      fc.property(gaps, gaps, fc.infiniteStream(fc.boolean()), (left, right, turns) => {
        const startsOf = (list: readonly number[]) => list.map((_, n) => list.slice(0, n + 1).reduce((sum, gap) => sum + gap, 0));
        const lists = [left, right].map((list, channel) => startsOf(list).map((start) => ({ channel, start })));
        const merge = new ChannelMerge<ChannelUtterance>(2);
        const heard: ChannelUtterance[] = [];
        const settled = [0, 0];
        for (const turn of turns) {
          const channel = (lists[Number(turn)] ?? []).length > 0 ? Number(turn) : 1 - Number(turn);
          const next = lists[channel]?.shift();
          if (!next) break;
          merge.add(next);
          // A worker says so after the utterance, and of a channel without one too.
          settled[channel] = next.start;
          if ((lists[1 - channel] ?? []).length > 0) settled[1 - channel] = Math.min(next.start, lists[1 - channel]?.[0]?.start ?? 0);
          merge.settle(settled);
          heard.push(...taken(merge));
        }
        merge.end();
        heard.push(...taken(merge));
        expect(heard).toHaveLength(left.length + right.length);
        expect(heard.map(({ start }) => start)).toEqual(heard.map(({ start }) => start).sort((a, b) => (a ?? 0) - (b ?? 0)));
      }),
    );
  });
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HonestTimes } from '../../../src/processors/transcriber/honestTimes.ts';
import type { SpokenUtterance, SpokenWord } from '../../../src/processors/transcriber/utterances.ts';

const time = fc.option(fc.integer({ min: -1_000, max: 20_000 }), { nil: null });
const word: fc.Arbitrary<SpokenWord> = fc.record({
  text: fc.constant(' word'),
  start: time,
  end: time,
  confidence: fc.constant(null),
  speaker: fc.constant(null),
});
const utterance: fc.Arbitrary<SpokenUtterance> = fc.record({ words: fc.array(word, { maxLength: 8 }), start: time, end: time });
const placed = fc.record({
  utterance,
  channel: fc.constantFrom(null, 0, 1),
  audioEnd: fc.option(fc.integer({ min: 0, max: 15_000 }), { nil: null }),
});

describe('honest times', () => {
  test('orders words and utterances of a channel without overlaps and inside the audio, whatever the engine reports', () => {
    fc.assert(
      fc.property(fc.array(placed, { maxLength: 12 }), (all) => {
        const times = new HonestTimes();
        const ends = new Map<number | null, number>();
        // Audio only grows while it is transcribed.
        let audioEnd = 0;
        for (const one of all) {
          audioEnd = Math.max(audioEnd, one.audioEnd ?? 0);
          const { words, start, end } = times.place(one.utterance, { channel: one.channel, audioEnd });
          let before = ends.get(one.channel) ?? 0;
          if (start !== null) expect(start).toBeGreaterThanOrEqual(before);
          for (const { start: from, end: to } of words) {
            expect(from === null).toBe(to === null);
            if (from === null || to === null) continue;
            expect(from).toBeGreaterThanOrEqual(Math.max(before, start ?? 0));
            expect(to).toBeGreaterThanOrEqual(from);
            expect(to).toBeLessThanOrEqual(Math.min(audioEnd, end ?? audioEnd));
            before = to;
          }
          if (start !== null && end !== null) expect(end).toBeGreaterThanOrEqual(start);
          if (end !== null) expect(end).toBeLessThanOrEqual(audioEnd);
          ends.set(one.channel, Math.max(ends.get(one.channel) ?? 0, before, end ?? 0));
        }
      }),
    );
  });

  test('does not change correct times', () => {
    const words = [
      { text: 'a', start: 100, end: 200, confidence: null, speaker: null },
      { text: ' b', start: 200, end: 300, confidence: null, speaker: null },
    ];
    const right = { words, start: 50, end: 350 };
    expect(new HonestTimes().place(right, { channel: null, audioEnd: 400 })).toEqual(right);
  });

  test('ends a word where the next one begins', () => {
    const words = [
      { text: 'a', start: 100, end: 500, confidence: null, speaker: null },
      { text: ' b', start: 200, end: 300, confidence: null, speaker: null },
    ];
    expect(new HonestTimes().place({ words, start: 100, end: 300 }, { channel: null, audioEnd: 400 }).words[0]).toMatchObject({
      start: 100,
      end: 200,
    });
  });

  test('ignores a partial utterance, which the next one replaces', () => {
    const times = new HonestTimes();
    const said = (start: number, end: number) => ({ words: [], start, end });
    times.place(said(100, 900), { channel: null, audioEnd: 1_000, final: false });
    expect(times.place(said(100, 700), { channel: null, audioEnd: 1_000 })).toMatchObject({ start: 100, end: 700 });
  });
});

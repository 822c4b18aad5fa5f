import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { TranscribedWord, Transcription } from '../../../../src/domain/stream/messages.ts';
import { applyEdits, mostWork } from '../../../../src/domain/transcript/applyEdits.ts';
import { machineContent, type TranscriptContent, textOf } from '../../../../src/domain/transcript/content.ts';
import { checkRevision, editTranscript, undoEdit } from '../../../../src/domain/transcript/decisions.ts';
import { type Edit, editsOf } from '../../../../src/domain/transcript/edits.ts';
import { speakerIdsOf } from '../../../../src/domain/transcript/speakers.ts';
import {
  evolveTranscript,
  inheritedNames,
  newestRevision,
  revisionsOf,
  stepsFrom,
  type TranscriptState,
  transcriptDecider,
} from '../../../../src/domain/transcript/state.ts';

const word = (text: string, start: number | null, end: number | null, speaker?: string): TranscribedWord => ({
  word: text,
  start,
  end,
  confidence: 0.9,
  language: 'en',
  metadata: speaker === undefined ? {} : { speakers: [speaker] },
});

/** An utterance whose words take 100 ms each, with a pause of 20 ms. */
const said = (
  text: string,
  { start = 0, speaker, channel = null }: { start?: number; speaker?: string; channel?: string | null } = {},
): Transcription => {
  const words = (text.match(/\s*\S+/g) ?? []).map((one, n) => word(one, start + n * 120, start + n * 120 + 100, speaker));
  return {
    transcription: text,
    words,
    start,
    end: words.at(-1)?.end ?? start,
    metadata: speaker === undefined ? {} : { speakerIds: [speaker] },
    channel,
    utterance: true,
  };
};

const TALK = machineContent(
  [
    said('Good morning Ben.', { speaker: 'A' }),
    said(' Hello Ana.', { start: 1_000, speaker: 'B' }),
    said(' How are you?', { start: 2_000, speaker: 'A' }),
  ],
  new Map(),
);

const corrected = (content: TranscriptContent, ...edits: Edit[]): TranscriptContent => applyEdits(content, edits, 1).content;
const texts = ({ utterances }: TranscriptContent): string[] => utterances.map(({ message }) => textOf(message));
const shown = (content: TranscriptContent, id: string) => content.utterances.find((utterance) => utterance.id === id)?.message;
const refusal = (edit: () => unknown): string => {
  try {
    edit();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return 'accepted';
};

describe('a text edit', () => {
  test('keeps the times and the confidence of words that stay, and shares the time between them among the others', () => {
    const words = shown(corrected(TALK, { op: 'text', utterance: 'u0', text: 'Good dear old morning Ben.' }), 'u0')?.words;
    expect(words).toMatchObject([
      { word: 'Good', start: 0, end: 100, confidence: 0.9 },
      { word: ' dear', start: 100, end: 110, confidence: null },
      { word: ' old', start: 110, end: 120, confidence: null },
      { word: ' morning', start: 120, end: 220, confidence: 0.9 },
      { word: ' Ben.', start: 240, end: 340, confidence: 0.9 },
    ]);
  });

  test('shares the whole time of the utterance if no word stays', () => {
    expect(shown(corrected(TALK, { op: 'text', utterance: 'u1', text: 'Hi Anna!' }), 'u1')?.words).toMatchObject([
      { word: ' Hi', start: 1_000, end: 1_110 },
      { word: ' Anna!', start: 1_110, end: 1_220 },
    ]);
  });

  test('without text removes the utterance', () => {
    expect(texts(corrected(TALK, { op: 'text', utterance: 'u1', text: ' ' }))).toEqual(['Good morning Ben.', 'How are you?']);
  });

  test('keeps the words of scripts without spaces', () => {
    const content = machineContent(
      [{ ...said(''), transcription: '你好世界', words: [word('你好', 0, 50), word('世界', 60, 100)], end: 100 }],
      new Map(),
    );
    expect(shown(corrected(content, { op: 'text', utterance: 'u0', text: '你好，世人' }), 'u0')?.words).toMatchObject([
      { word: '你好', start: 0, end: 50, confidence: 0.9 },
      { word: '，', start: 50, confidence: null },
      { word: '世', confidence: null },
      { word: '人', end: 100, confidence: null },
    ]);
  });
});

describe('speakers', () => {
  test('are changed, named and joined', () => {
    const content = corrected(
      TALK,
      { op: 'speaker', utterance: 'u2', speaker: 'C' },
      { op: 'name', speaker: 'A', name: 'Anna' },
      { op: 'join', speaker: 'B', into: 'C' },
    );
    expect(content.speakers).toEqual([
      { id: 'A', name: 'Anna' },
      { id: 'C', name: null },
    ]);
    expect(content.utterances.map(({ message, edited }) => [speakerIdsOf(message), edited])).toEqual([
      [['A'], false],
      [['C'], true],
      [['C'], true],
    ]);
    expect(shown(content, 'u1')?.words.map(({ metadata }) => metadata.speakers)).toEqual([['C'], ['C']]);
  });

  test('cannot share a name', () => {
    const edits: Edit[] = [
      { op: 'name', speaker: 'A', name: 'Anna' },
      { op: 'name', speaker: 'B', name: 'anna' },
    ];
    expect(refusal(() => corrected(TALK, ...edits))).toBe(
      'edits[1]: speaker A has this name already. Join the two speakers, or choose another name.',
    );
  });
});

describe('split and merge', () => {
  test('give the second half a new id, and the merged utterance the first', () => {
    const halves = corrected(TALK, { op: 'split', utterance: 'u0', word: 1 });
    expect(halves.utterances.map(({ id, message: { start, end } }) => [id, start, end])).toEqual([
      ['u0', 0, 100],
      ['u1-0', 120, 340],
      ['u1', 1_000, 1_220],
      ['u2', 2_000, 2_340],
    ]);
    expect(corrected(halves, { op: 'merge', utterance: 'u0' }).utterances.map(({ id }) => id)).toEqual(['u0', 'u1', 'u2']);
  });

  test('merge only what the same channel says next', () => {
    const content = machineContent(
      [said('One', { channel: '0' }), said('Other', { channel: '1', start: 10 }), said('two', { channel: '0', start: 500 })],
      new Map(),
    );
    expect(texts(corrected(content, { op: 'merge', utterance: 'u0' }))).toEqual(['One two', 'Other']);
    expect(refusal(() => corrected(content, { op: 'merge', utterance: 'u1' }))).toMatch(/^edits\[0\]: nothing follows the utterance "u1"/);
  });
});

describe('replace', () => {
  const replace = (find: string, by: string, how: { matchCase?: boolean; wholeWords?: boolean } = {}) =>
    applyEdits(TALK, [{ op: 'replace', find, with: by, ...how }], 1);

  test('counts what it finds, in upper or lower case unless asked otherwise', () => {
    expect([replace('A', 'x').replaced, replace('A', 'x', { matchCase: true }).replaced]).toEqual([3, 1]);
    expect(texts(replace('ana', 'Anna').content)[1]).toBe('Hello Anna.');
  });

  test('takes only whole words if asked, and no text for a pattern', () => {
    expect(replace('an', 'x', { wholeWords: true }).replaced).toBe(0);
    expect(replace('are', '$&', { wholeWords: true }).content.utterances[2]?.message.transcription).toBe(' How $& you?');
    expect(replace('.*', 'x').replaced).toBe(0);
  });

  test('finds whole words in scripts without spaces between them', () => {
    const { content } = applyEdits(TALK, [{ op: 'text', utterance: 'u0', text: '我们去公园。' }], 1);
    expect(applyEdits(content, [{ op: 'replace', find: '公园', with: '学校', wholeWords: true }], 2).replaced).toBe(1);
  });
});

describe('a wrong edit is refused by name:', () => {
  test.each<[Edit, string]>([
    [{ op: 'text', utterance: 'u9', text: 'x' }, 'edits[0]: no utterance has the id "u9".'],
    [{ op: 'name', speaker: 'Z', name: 'x' }, 'edits[0]: no speaker has the id "Z".'],
    [{ op: 'join', speaker: 'A', into: 'A' }, 'edits[0]: a speaker cannot be joined to itself.'],
    [{ op: 'split', utterance: 'u0', word: 3 }, 'edits[0]: the utterance has 3 words, so it cannot be split before word 3.'],
  ])('%j', (edit, message) => {
    expect(refusal(() => corrected(TALK, edit))).toBe(message);
  });

  test.each([
    [{ op: 'text', utterance: 'u0' } as const, 'edits[0]: text needs text.'],
    [{ op: 'merge', utterance: 'u0', word: 1 } as const, 'edits[0]: merge has no word.'],
    [{ op: 'text', utterance: 'u0', text: 'a\0b' } as const, 'edits[0]: the text has a control character. Leave it out.'],
    [{ op: 'speaker', utterance: 'u0', speaker: 'a b' } as const, 'edits[0]: the id of a speaker has 1 to 32 letters, digits, _ and -.'],
    [{ op: 'name', speaker: 'A', name: ' ' } as const, 'edits[0]: a name has 1 to 100 characters.'],
    [{ op: 'replace', find: '', with: 'x' } as const, 'edits[0]: find is empty. Say what to replace.'],
  ])('%j', (draft, message) => {
    expect(refusal(() => editsOf([draft]))).toBe(message);
  });

  /** Of new edits on one utterance, which may be refused for their work. */
  const checked = (characters: number, edits: readonly Edit[]): string => {
    const content = machineContent([said('x'.repeat(characters))], new Map());
    return refusal(() => applyEdits(content, edits, 1, mostWork(content)));
  };
  const times = (length: number, ...edits: readonly Edit[]): Edit[] => Array.from({ length }, () => edits).flat();

  test('more edits that look through the whole transcript than its length allows', () => {
    const check = (characters: number, some: number) => checked(characters, times(some, { op: 'replace', find: 'a', with: 'b' }));
    expect(check(16_000, 500)).toBe('accepted');
    expect([check(60_000, 139), check(1_000_000, 10)]).toEqual(['accepted', 'accepted']);
    expect(check(60_000, 140)).toMatch('send at most 139 of these 140 edits in one request.');
    expect(check(1_000_000, 11)).toMatch('send at most 10 of these 11 edits');
  });

  test('edits that make the transcript long, and then look through it', () => {
    const grow: Edit = { op: 'replace', find: 'x', with: 'y'.repeat(10_000) };
    const other: Edit = { op: 'replace', find: 'z', with: 'x' };
    const long: Edit = { op: 'text', utterance: 'u0', text: 'x'.repeat(100) };
    expect(checked(500, [grow, ...times(400, other)])).toMatch('send at most 1 of these 401 edits');
    expect(checked(500, times(20, long, grow))).toMatch('send at most 10 of these 40 edits');
    expect(checked(500, [grow, ...times(20, { op: 'speaker', utterance: 'u0', speaker: 'A' })])).toMatch(
      'send at most 1 of these 21 edits',
    );
    const recorded = machineContent([said('x'.repeat(500))], new Map());
    expect(refusal(() => applyEdits(recorded, [grow, ...times(10, other)], 1))).toBe('accepted');
  });

  test('more than 256 KiB of text', () => {
    const drafts = Array.from({ length: 3 }, () => ({ op: 'text', utterance: 'u0', text: 'x'.repeat(100_000) }) as const);
    expect(refusal(() => editsOf(drafts))).toMatch(/^The texts of these edits take 300006 bytes/);
  });
});

/** The state after some decisions, from the beginning. */
const TIME = '2026-01-01T00:00:00.000Z';
const edited = (state: TranscriptState, edits: Edit[], attempt = 1): TranscriptState =>
  editTranscript(state, { attempt, revision: newestRevision(state, attempt), edits }).reduce(
    (folded, event) => evolveTranscript(folded, event, TIME),
    state,
  );
const undone = (state: TranscriptState): TranscriptState =>
  undoEdit(state, { attempt: 1, revision: newestRevision(state, 1) }).reduce(
    (folded, event) => evolveTranscript(folded, event, TIME),
    state,
  );
const at = (state: TranscriptState, revision: number): TranscriptContent | null =>
  (stepsFrom(revisionsOf(state, 1), 0, revision) ?? []).reduce<TranscriptContent>(
    (content, { revision: n, edits }) => applyEdits(content, edits, n).content,
    TALK,
  );

describe('revisions', () => {
  test('are undone one after the other, and count on', () => {
    const one = edited(transcriptDecider.initialState(), [{ op: 'text', utterance: 'u0', text: 'One.' }]);
    const two = edited(one, [{ op: 'text', utterance: 'u0', text: 'Two.' }]);
    const back = undone(undone(two));
    expect([1, 2, 3, 4].map((revision) => texts(at(back, revision) ?? TALK)[0])).toEqual(['One.', 'Two.', 'One.', 'Good morning Ben.']);
    expect(refusal(() => undone(back))).toBe('No edit is left to undo.');
    expect(texts(at(edited(back, [{ op: 'merge', utterance: 'u0' }]), 5) ?? TALK)[0]).toBe('Good morning Ben. Hello Ana.');
  });

  test('are refused on any but the newest, and without If-Match', () => {
    const check = (ifMatch: string[] | null) => refusal(() => checkRevision(1, 1, ifMatch));
    expect(check(['transcript-1-0'])).toMatch(/^Another edit came first: the transcript is at "transcript-1-1" now/);
    expect(check(null)).toMatch(/^Send If-Match/);
    expect(check(['transcript-1-1'])).toBe('accepted');
  });

  test('are refused if another one was appended while they were applied', () => {
    const state = edited(transcriptDecider.initialState(), [{ op: 'merge', utterance: 'u0' }]);
    for (const change of [
      () => editTranscript(state, { attempt: 1, revision: 0, edits: [] }),
      () => undoEdit(state, { attempt: 1, revision: 0 }),
    ])
      expect(refusal(change)).toMatch(/^Another edit came first: the transcript is at "transcript-1-1" now/);
  });

  test('are refused after 10,000 edits', () => {
    const revisions = Array.from({ length: 10_000 }, (_, event) => ({ kind: 'edited', time: TIME, event, edits: [] }) as const);
    expect(refusal(() => edited(new Map([[1, revisions]]), []))).toMatch(/^A transcript can be edited 10000 times/);
  });

  test('give their names to the next attempt', () => {
    const first = edited(transcriptDecider.initialState(), [
      { op: 'name', speaker: 'A', name: 'Anna' },
      { op: 'name', speaker: 'B', name: 'Ben' },
    ]);
    expect([...inheritedNames(first, 2)]).toEqual([
      ['A', 'Anna'],
      ['B', 'Ben'],
    ]);
    const joined = edited(first, [{ op: 'join', speaker: 'B', into: 'A' }]);
    expect([...inheritedNames(joined, 2)]).toEqual([['A', 'Anna']]);
    expect([...inheritedNames(undone(joined), 2).keys()]).toEqual(['A', 'B']);
    expect([...inheritedNames(joined, 1)]).toEqual([]);
  });

  test('without their edits, once these are gone, are the machine’s', () => {
    const state = evolveTranscript(new Map(), { type: 'TranscriptEdited', data: { attempt: 1, revision: 1, edits: null } }, TIME);
    expect(at(state, 1)).toEqual(TALK);
  });
});

const spoken = fc.array(fc.constantFrom('one', 'two', 'three', 'four', '你', '好', 'five,'), { minLength: 1, maxLength: 12 });
const joinedText = (words: readonly string[]): string => words.join(' ');

describe('for all utterances', () => {
  test('a text edit gives the text, with times in order, and words between the common ends keep theirs', () => {
    fc.assert(
      fc.property(spoken, spoken, (before, now) => {
        const content = machineContent([said(joinedText(before))], new Map());
        const message = shown(corrected(content, { op: 'text', utterance: 'u0', text: joinedText(now) }), 'u0');
        expect(message && textOf(message)).toBe(joinedText(now));
        const times = message?.words.flatMap(({ start, end }) => [start ?? -1, end ?? -1]) ?? [];
        expect(times).toEqual(times.toSorted((a, b) => a - b));
        const old = content.utterances[0]?.message.words ?? [];
        for (let n = 0; n < Math.min(before.length, now.length) && before[n] === now[n]; n++)
          expect(message?.words[n]).toMatchObject({ start: old[n]?.start, end: old[n]?.end, confidence: 0.9 });
      }),
    );
  });

  test('a split and a merge give the text before', () => {
    fc.assert(
      fc.property(spoken, fc.nat(), fc.boolean(), (words, where, spaced) => {
        const machine = said(joinedText(words));
        const message = spaced
          ? machine
          : { ...machine, words: machine.words.map((one) => ({ ...one, word: one.word.trim() })), transcription: words.join('') };
        const content = machineContent([message], new Map());
        fc.pre(message.words.length > 1);
        const split: Edit = { op: 'split', utterance: 'u0', word: 1 + (where % (message.words.length - 1)) };
        const halves = corrected(content, split);
        expect(halves.utterances).toHaveLength(2);
        expect(texts(corrected(halves, { op: 'merge', utterance: 'u0' }))).toEqual(texts(content));
      }),
    );
  });

  test('an undo after any edits gives the content before the newest', () => {
    const edit = fc.oneof(
      fc.record({ op: fc.constant('text' as const), utterance: fc.constantFrom('u0', 'u1', 'u2'), text: spoken.map(joinedText) }),
      fc.record({ op: fc.constant('speaker' as const), utterance: fc.constantFrom('u0', 'u1'), speaker: fc.constantFrom('A', 'C') }),
      fc.record({ op: fc.constant('split' as const), utterance: fc.constantFrom('u0', 'u2'), word: fc.constant(1) }),
      fc.record({ op: fc.constant('merge' as const), utterance: fc.constantFrom('u0') }),
      fc.record({ op: fc.constant('replace' as const), find: fc.constantFrom('o', 'two'), with: fc.constantFrom('', '0') }),
    );
    fc.assert(
      fc.property(fc.array(edit, { minLength: 1, maxLength: 6 }), (edits) => {
        const fits = edits.reduce<{ state: TranscriptState; contents: TranscriptContent[] }>(
          ({ state, contents }, one) => {
            try {
              const next = edited(state, [one]);
              const content = at(next, revisionsOf(next, 1).length);
              return content ? { state: next, contents: [...contents, content] } : { state, contents };
            } catch {
              return { state, contents };
            }
          },
          { state: transcriptDecider.initialState(), contents: [TALK] },
        );
        let { state } = fits;
        for (const before of fits.contents.slice(0, -1).reverse()) {
          state = undone(state);
          expect(at(state, revisionsOf(state, 1).length)).toEqual(before);
        }
      }),
    );
  });
});

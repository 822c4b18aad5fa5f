import { Problem } from '../problem.ts';
import type { TranscribedWord, Transcription } from '../stream/messages.ts';
import { type Speaker, type TranscriptContent, textOf, type Utterance, utterancesInOrder } from './content.ts';
import { badEdit, type Edit, type EditOf } from './edits.ts';
import { joinedInto, saidBy, speakerIdsOf } from './speakers.ts';
import { respelled, UNSPACED, wordsOf } from './words.ts';

/** The content after some edits, in their order. */
export interface Applied {
  readonly content: TranscriptContent;
  /** How often `replace` found its text. */
  readonly replaced: number;
}

/** Characters of a corrected transcript. */
const MOST_CHARACTERS = 8_388_608;

/** Characters that the edits of one request look through: ten times those of ten hours of speech, which takes 0.4 s at most. */
const MOST_WORK = 8_388_608;
const LEAST_THOROUGH = 10;

const charactersIn = ({ utterances }: TranscriptContent): number =>
  utterances.reduce((sum, { message }) => sum + message.transcription.length, 0);

/** Characters that the edits of one new request may look through on this transcript. */
export const mostWork = (content: TranscriptContent): number => Math.max(MOST_WORK, LEAST_THOROUGH * charactersIn(content));

/** Characters that an edit looks through: those of the whole transcript, or of its utterance. */
const workOf = (content: TranscriptContent, edit: Edit): number => {
  if (edit.op === 'replace' || edit.op === 'join') return charactersIn(content);
  if (edit.op === 'name') return 0;
  return content.utterances.find(({ id }) => id === edit.utterance)?.message.transcription.length ?? 0;
};

/**
 * `revision` is the one that the edits make: new utterances have it in their ids. `most`: characters that they may look through (`mostWork`); recorded
 * edits have no limit. Throws 400 that names the first edit that does not fit, or says how many of the edits one request may have.
 */
export const applyEdits = (
  content: TranscriptContent,
  edits: readonly Edit[],
  revision: number,
  most = Number.POSITIVE_INFINITY,
): Applied => {
  let [current, replaced, work] = [content, 0, 0];
  for (const [n, edit] of edits.entries()) {
    work += workOf(current, edit);
    if (work > most) throw tooMuchWork(n, edits.length);
    if (edit.op === 'replace') {
      const found = replaceAll(current, edit);
      work += Math.max(0, charactersIn(found.content) - charactersIn(current));
      current = found.content;
      replaced += found.replaced;
    } else current = applied(current, edit, n, `u${revision}-${n}`);
  }
  checkLength(charactersIn(current));
  return { content: current, replaced };
};

const tooMuchWork = (most: number, edits: number): Problem =>
  new Problem('GENERAL_VALIDATION_ERROR', `On a transcript of this length, send at most ${most} of these ${edits} edits in one request.`);

const checkLength = (characters: number): void => {
  if (characters > MOST_CHARACTERS)
    throw new Problem('GENERAL_VALIDATION_ERROR', `The transcript would have more than ${MOST_CHARACTERS} characters. Make smaller edits.`);
};

const applied = (content: TranscriptContent, edit: Exclude<Edit, EditOf<'replace'>>, n: number, newId: string): TranscriptContent => {
  switch (edit.op) {
    case 'text':
      return changed(content, edit, n, (utterance) => rewritten(utterance, edit.text));
    case 'speaker':
      return withSpeaker(
        changed(content, edit, n, (utterance) => [assigned(utterance, edit.speaker)]),
        edit.speaker,
      );
    case 'name':
      return named(content, edit, n);
    case 'join':
      return joined(content, edit, n);
    case 'split':
      return split(content, edit, n, newId);
    case 'merge':
      return merged(content, edit, n);
  }
};

const indexOf = ({ utterances }: TranscriptContent, id: string, n: number): number => {
  const index = utterances.findIndex((utterance) => utterance.id === id);
  if (index < 0) throw badEdit(n, `no utterance has the id ${JSON.stringify(id.slice(0, 100))}.`);
  return index;
};

const changed = (
  content: TranscriptContent,
  { utterance: id }: { readonly utterance: string },
  n: number,
  change: (utterance: Utterance) => readonly Utterance[],
): TranscriptContent => {
  const index = indexOf(content, id, n);
  const utterance = content.utterances[index];
  return utterance ? { ...content, utterances: content.utterances.toSpliced(index, 1, ...change(utterance)) } : content;
};

const withWords = (message: Transcription, words: readonly TranscribedWord[]): Transcription => ({
  ...message,
  words: [...words],
  transcription: words.map(({ word }) => word).join(''),
});

/** Without text, the utterance is removed. */
const rewritten = (utterance: Utterance, text: string): readonly Utterance[] => {
  const { message } = utterance;
  if (text.trim() === '') return [];
  if (text.trim() === textOf(message)) return [utterance];
  return [{ ...utterance, message: withWords(message, respelled({ ...message, words: [...wordsOf(message)] }, text)), edited: true }];
};

const assigned = (utterance: Utterance, speaker: string): Utterance => {
  const [only, ...others] = speakerIdsOf(utterance.message);
  return only === speaker && others.length === 0 ? utterance : { ...utterance, message: saidBy(utterance.message, speaker), edited: true };
};

const withSpeaker = (content: TranscriptContent, id: string): TranscriptContent =>
  content.speakers.some((speaker) => speaker.id === id) ? content : { ...content, speakers: [...content.speakers, { id, name: null }] };

const speakerIn = ({ speakers }: TranscriptContent, id: string, n: number): Speaker => {
  const found = speakers.find((speaker) => speaker.id === id);
  if (!found) throw badEdit(n, `no speaker has the id ${JSON.stringify(id.slice(0, 100))}.`);
  return found;
};

const named = (content: TranscriptContent, { speaker: id, name }: EditOf<'name'>, n: number): TranscriptContent => {
  speakerIn(content, id, n);
  const key = name?.toLowerCase();
  const other = content.speakers.find((speaker) => speaker.id !== id && key !== undefined && speaker.name?.toLowerCase() === key);
  if (other) throw badEdit(n, `speaker ${other.id} has this name already. Join the two speakers, or choose another name.`);
  return { ...content, speakers: content.speakers.map((speaker) => (speaker.id === id ? { id, name } : speaker)) };
};

const joined = (content: TranscriptContent, { speaker, into }: EditOf<'join'>, n: number): TranscriptContent => {
  speakerIn(content, speaker, n);
  speakerIn(content, into, n);
  if (speaker === into) throw badEdit(n, 'a speaker cannot be joined to itself.');
  return {
    speakers: content.speakers.filter(({ id }) => id !== speaker),
    utterances: content.utterances.map((utterance) =>
      speakerIdsOf(utterance.message).includes(speaker)
        ? { ...utterance, message: joinedInto(utterance.message, speaker, into), edited: true }
        : utterance,
    ),
  };
};

const split = (content: TranscriptContent, edit: EditOf<'split'>, n: number, newId: string): TranscriptContent => {
  const halved = changed(content, edit, n, ({ message, ...utterance }) => {
    const words = wordsOf(message);
    if (edit.word < 1 || edit.word >= words.length)
      throw badEdit(n, `the utterance has ${words.length} words, so it cannot be split before word ${edit.word}.`);
    const [first, second] = [words.slice(0, edit.word), words.slice(edit.word)];
    const boundary = boundaryOf(message, words, edit.word);
    return [
      { ...utterance, message: { ...withWords(message, first), end: first.at(-1)?.end ?? boundary }, edited: true },
      {
        id: newId,
        message: { ...withWords(message, second), start: boundary },
        edited: true,
        ...(!/^\s/.test(second[0]?.word ?? '') && { glued: true as const }),
      },
    ];
  });
  return { ...halved, utterances: utterancesInOrder(halved.utterances) };
};

/** When the second half begins. Without times of words, by their number. */
const boundaryOf = ({ start, end }: Transcription, words: readonly TranscribedWord[], word: number): number | null => {
  const known = words[word]?.start ?? words[word - 1]?.end ?? null;
  if (known !== null || start === null || end === null) return known;
  return Math.round(start + ((end - start) * word) / words.length);
};

const merged = (content: TranscriptContent, { utterance: id }: EditOf<'merge'>, n: number): TranscriptContent => {
  const { utterances } = content;
  const index = indexOf(content, id, n);
  const first = utterances[index];
  const next = utterances.findIndex((other, at) => at > index && other.message.channel === first?.message.channel);
  const second = utterances[next];
  if (!first || !second) throw badEdit(n, `nothing follows the utterance ${JSON.stringify(id)} that it could be merged with.`);
  return { ...content, utterances: utterances.toSpliced(next, 1).toSpliced(index, 1, mergedWith(first, second)) };
};

const mergedWith = (first: Utterance, { message: second, glued }: Utterance): Utterance => {
  const [words, [lead, ...rest]] = [wordsOf(first.message), wordsOf(second)];
  const isSpaced = glued || /\s$/.test(words.at(-1)?.word ?? ' ') || /^\s/.test(lead?.word ?? ' ');
  const added = lead ? [isSpaced ? lead : { ...lead, word: ` ${lead.word}` }, ...rest] : [];
  const ends = [first.message.end, second.end].filter((end) => end !== null);
  const message = { ...withWords(first.message, [...words, ...added]), end: ends.length > 0 ? Math.max(...ends) : null };
  const [speaker, ...others] = speakerIdsOf(first.message);
  return { ...first, message: speaker !== undefined && others.length === 0 ? saidBy(message, speaker) : message, edited: true };
};

/** Ends a whole word beside it. Words of scripts without spaces follow each other directly. */
const LETTER = `[[\\p{L}\\p{M}\\p{N}_]--[${UNSPACED}]]`;

const replaceAll = (content: TranscriptContent, { find, with: by, matchCase, wholeWords }: EditOf<'replace'>): Applied => {
  const literal = find.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  const pattern = new RegExp(wholeWords ? `(?<!${LETTER})${literal}(?!${LETTER})` : literal, matchCase ? 'gv' : 'giv');
  let [replaced, characters] = [0, 0];
  const utterances = content.utterances.flatMap((utterance): readonly Utterance[] => {
    const text = textOf(utterance.message);
    const found = text.match(pattern)?.length ?? 0;
    if (found === 0) return [utterance];
    replaced += found;
    characters += text.length + found * by.length;
    checkLength(characters);
    return rewritten(
      utterance,
      text.replace(pattern, () => by),
    );
  });
  return { content: replaced > 0 ? { ...content, utterances } : content, replaced };
};

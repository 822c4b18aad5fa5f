import type { Schema } from '../../json.ts';
import * as s from '../../schema.ts';
import { Problem } from '../problem.ts';

/** One correction of a transcript. Utterances and speakers by their ids. */
export type Edit =
  | { readonly op: 'text'; readonly utterance: string; readonly text: string }
  | { readonly op: 'speaker'; readonly utterance: string; readonly speaker: string }
  | { readonly op: 'name'; readonly speaker: string; readonly name: string | null }
  | { readonly op: 'join'; readonly speaker: string; readonly into: string }
  | { readonly op: 'split'; readonly utterance: string; readonly word: number }
  | { readonly op: 'merge'; readonly utterance: string }
  | {
      readonly op: 'replace';
      readonly find: string;
      readonly with: string;
      readonly matchCase?: boolean | undefined;
      readonly wholeWords?: boolean | undefined;
    };

export type EditOf<Op extends Edit['op']> = Extract<Edit, { op: Op }>;

const op = (name: Edit['op']) => ({ type: 'string', const: name }) as const;

const UTTERANCE = s.described(s.id, 'Id of an utterance.');
const SPEAKER = s.described(s.id, 'Id of a speaker.');

const FORMS = [
  s.named('TextEdit', s.object({ op: op('text'), utterance: UTTERANCE, text: s.described(s.text, 'Empty: removes the utterance.') })),
  s.named(
    'SpeakerEdit',
    s.object({ op: op('speaker'), utterance: UTTERANCE, speaker: s.described(s.id, 'A speaker of the list, or a new id.') }),
  ),
  s.named('NameEdit', s.object({ op: op('name'), speaker: SPEAKER, name: s.described(s.nullable(s.text), 'Null removes the name.') })),
  s.named('JoinEdit', s.object({ op: op('join'), speaker: SPEAKER, into: s.described(s.id, 'The speaker who stays.') })),
  s.named(
    'SplitEdit',
    s.object({ op: op('split'), utterance: UTTERANCE, word: s.described(s.count, 'Index of the first word of the second half.') }),
  ),
  s.named('MergeEdit', s.object({ op: op('merge'), utterance: UTTERANCE })),
  s.named('ReplaceEdit', s.object({ op: op('replace'), find: s.id, with: s.text }, { matchCase: s.flag, wholeWords: s.flag })),
];

/** One of the seven operations. */
export const EDIT: Schema<Edit> = s.named('TranscriptEdit', { oneOf: FORMS } as Schema<Edit>);

/** Most corrections of one request, and the bytes that their texts and names may take. */
export const MOST_EDITS = 500;
const MOST_BYTES = 262_144;
/** Code points of a name. */
const LONGEST_NAME = 100;
const LONGEST_SOUGHT = 1_000;
const SPEAKER_ID = /^[A-Za-z0-9_-]{1,32}$/;

/** 400 that names the item of the request. */
export const badEdit = (n: number, message: string): Problem => new Problem('GENERAL_VALIDATION_ERROR', `edits[${n}]: ${message}`);

/** What a request may say in one correction, before the members of each operation are checked. */
export type EditDraft = { readonly op: Edit['op'] } & {
  readonly [Member in 'utterance' | 'speaker' | 'text' | 'into' | 'find' | 'with']?: string;
} & { readonly name?: string | null; readonly word?: number; readonly matchCase?: boolean; readonly wholeWords?: boolean };

const MEMBERS: Readonly<Record<Edit['op'], readonly (keyof EditDraft)[]>> = {
  text: ['utterance', 'text'],
  speaker: ['utterance', 'speaker'],
  name: ['speaker', 'name'],
  join: ['speaker', 'into'],
  split: ['utterance', 'word'],
  merge: ['utterance'],
  replace: ['find', 'with'],
};
/** Control characters other than tabs and line breaks. */
const CONTROL = /[^\P{Cc}\t\n\r]/u;
const OPTIONAL: readonly string[] = ['matchCase', 'wholeWords'];

/** The checked corrections of a request. Throws 400 that names the first wrong one. */
export const editsOf = (drafts: readonly EditDraft[]): Edit[] => {
  const edits = drafts.map(editOf);
  const bytes = edits.reduce((sum, edit) => sum + Buffer.byteLength(textsOf(edit).join('')), 0);
  if (bytes > MOST_BYTES)
    throw new Problem(
      'GENERAL_VALIDATION_ERROR',
      `The texts of these edits take ${bytes} bytes. Send at most ${MOST_BYTES} in one request.`,
    );
  return edits;
};

const editOf = (draft: EditDraft, n: number): Edit => {
  const members = MEMBERS[draft.op];
  const missing = members.filter((name) => draft[name] === undefined);
  if (missing.length > 0) throw badEdit(n, `${draft.op} needs ${missing.join(' and ')}.`);
  const known = ['op', ...members, ...(draft.op === 'replace' ? OPTIONAL : [])];
  const unknown = Object.keys(draft).find((name) => !known.includes(name));
  if (unknown !== undefined) throw badEdit(n, `${draft.op} has no ${unknown}.`);
  // The members of its operation have just been checked, their types by the schema of the request.
  const edit = checked(draft as Edit, n);
  if (CONTROL.test(textsOf(edit).join(''))) throw badEdit(n, 'the text has a control character. Leave it out.');
  return edit;
};

const checked = (edit: Edit, n: number): Edit => {
  switch (edit.op) {
    case 'name':
      return edit.name === null ? edit : { ...edit, name: nameOf(edit.name, n) };
    case 'speaker':
      if (!SPEAKER_ID.test(edit.speaker)) throw badEdit(n, 'the id of a speaker has 1 to 32 letters, digits, _ and -.');
      return edit;
    case 'replace':
      if (edit.find === '') throw badEdit(n, 'find is empty. Say what to replace.');
      if (edit.find.length > LONGEST_SOUGHT || edit.with.length > LONGEST_SOUGHT)
        throw badEdit(n, `find and with have at most ${LONGEST_SOUGHT} characters.`);
      return edit;
    default:
      return edit;
  }
};

const nameOf = (text: string, n: number): string => {
  const name = text.normalize('NFC').trim().replace(/\s+/g, ' ');
  const { length } = [...name];
  if (length < 1 || length > LONGEST_NAME) throw badEdit(n, `a name has 1 to ${LONGEST_NAME} characters.`);
  return name;
};

const textsOf = (edit: Edit): string[] =>
  Object.entries(edit).flatMap(([name, value]) => (name !== 'op' && typeof value === 'string' ? [value] : []));

import type { Mark } from '../../stores/fullText/phrases.ts';

/** UTF-16 units of an excerpt, about three lines. */
const LENGTH = 240;
/** Of them, before its first mark. */
const BEFORE = 60;
/** How far its ends move to the next space. */
const TO_SPACE = 24;
const ELLIPSIS = '…';

/** A short text, or the part of a long one with the most marks. */
export const excerptOf = (text: string, marks: readonly Mark[]): { text: string; marks: Mark[] } => {
  const whole = text.trimEnd();
  if (whole.length <= LENGTH) return { text: whole, marks: [...marks] };
  const [start, end] = windowOf(whole, marks);
  const before = start > 0 ? ELLIPSIS : '';
  const inside = marks.filter(([from, to]) => from >= start && to <= end);
  const shift = before.length - start;
  return {
    text: `${before}${whole.slice(start, end)}${end < whole.length ? ELLIPSIS : ''}`,
    marks: inside.map(([from, to]): Mark => [from + shift, to + shift]),
  };
};

const windowOf = (text: string, marks: readonly Mark[]): Mark => {
  const [first = 0, last = 0] = densest(marks);
  const start = Math.max(0, Math.min(first - BEFORE, text.length - LENGTH));
  const end = Math.max(start + LENGTH, last);
  return [start === 0 ? 0 : afterSpace(text, start, first), end >= text.length ? text.length : beforeSpace(text, end, last)];
};

/** The mark after which most others follow within the length: where it starts and ends. */
const densest = (marks: readonly Mark[]): readonly number[] => {
  const following = (start: number) => marks.filter(([from, to]) => from >= start && to <= start + LENGTH - BEFORE).length;
  let best: Mark | undefined;
  let most = -1;
  for (const mark of marks) {
    const count = following(mark[0]);
    if (count > most) [best, most] = [mark, count];
  }
  return best ?? [];
};

const afterSpace = (text: string, start: number, latest: number): number => {
  const space = text.slice(start, Math.min(start + TO_SPACE, latest)).search(/\s/);
  return space >= 0 ? start + space + 1 : wholeCharacter(text, start);
};

const beforeSpace = (text: string, end: number, earliest: number): number => {
  const from = Math.max(end - TO_SPACE, earliest);
  const space = text.slice(from, end).search(/\s\S*$/);
  return space >= 0 ? from + space : wholeCharacter(text, end);
};

/** Not between the two halves of a character. */
const wholeCharacter = (text: string, at: number): number => (/[\udc00-\udfff]/.test(text.charAt(at)) ? at - 1 : at);

import { diffWordsWithSpace } from 'diff';

interface TextDifferenceProps {
  readonly before: string;
  readonly after: string;
}

/** A text with the words that were removed struck through, and new ones marked. */
export const TextDifference = ({ before, after }: TextDifferenceProps) => (
  <>
    {diffWordsWithSpace(before, after).map(({ value, added, removed }, n) => {
      if (added) return <ins key={n}>{value}</ins>;
      return removed ? <del key={n}>{value}</del> : value;
    })}
  </>
);

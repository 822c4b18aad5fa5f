import { Problem } from '../problem.ts';

/** Most labels of a stream. */
const MOST_LABELS = 20;
/** Code points of a label. */
const LONGEST_LABEL = 64;

const refused = (message: string): Problem => new Problem('GENERAL_VALIDATION_ERROR', message);

/** Labels with the same key are the same label. */
export const labelKey = (label: string): string => label.normalize('NFC').toLowerCase();

/** Trimmed. Throws 400 for a blank or a too long label. */
const labelOf = (text: string): string => {
  const label = text.normalize('NFC').trim();
  if (label === '') throw refused('A label is blank. Give it at least one character.');
  if ([...label].length > LONGEST_LABEL)
    throw refused(`The label ${JSON.stringify(label.slice(0, 100))} is too long. Use at most ${LONGEST_LABEL} characters.`);
  return label;
};

/** Each label once, trimmed, in the order given. Throws 400 for an invalid label. */
export const distinctLabels = (texts: readonly string[]): string[] => {
  const labels = new Map<string, string>();
  for (const text of texts) {
    const label = labelOf(text);
    if (!labels.has(labelKey(label))) labels.set(labelKey(label), label);
  }
  return [...labels.values()];
};

/** The labels of one stream: each once, trimmed, in the order given. Throws 400 for an invalid label and for more than 20. */
export const labelsOf = (texts: readonly string[]): string[] => {
  const labels = distinctLabels(texts);
  if (labels.length > MOST_LABELS) throw refused(`A stream has at most ${MOST_LABELS} labels, not ${labels.length}.`);
  return labels;
};

/** The labels of a stream after a bulk change. Throws 400 for more than 20. */
export const changedLabels = (labels: readonly string[], add: readonly string[], remove: readonly string[]): string[] => {
  const removed = new Set(remove.map(labelKey));
  return labelsOf([...labels.filter((label) => !removed.has(labelKey(label))), ...add]);
};

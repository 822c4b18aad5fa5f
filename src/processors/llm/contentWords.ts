const STOP_WORDS = new Set(
  `a about above after again against all also am an and any are as at be because been before being below between both but by can could did do
  does doing down during each few for from further had has have having he her here hers him his how i if in into is it its itself just me more
  most my no nor not now of off on once only or other our ours out over own please same she should so some such tell than that the their theirs
  them then there these they this those through to too under until up us very was we were what when where which while who whom whose why will
  with would you your yours`.split(/\s+/),
);

/** Rough English stem, so that "parcels" matches "parcel" and "arrived" matches "arrives". */
const stem = (word: string): string => {
  if (word.length < 4) return word;
  if (word.endsWith('ies') && word.length > 4) return `${word.slice(0, -3)}y`;
  if (word.endsWith('ing') && word.length > 5) return word.slice(0, -3).replace(/e$/, '');
  if (word.endsWith('ed') && word.length > 4) return word.slice(0, -2).replace(/e$/, '');
  if (word.endsWith('es')) return word.slice(0, -2);
  if (word.endsWith('s') && !word.endsWith('ss')) return word.slice(0, -1).replace(/e$/, '');
  return word.replace(/e$/, '');
};

/** Stems of the content words, without duplicates. */
export const contentWords = (text: string): string[] => {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+(?:['’][\p{L}]+)?/gu) ?? [];
  return [...new Set(words.filter((word) => !STOP_WORDS.has(word)).map((word) => stem(word.replace(/['’].*$/, ''))))];
};

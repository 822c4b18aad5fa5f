/** Formats of `--format`, and those of the export service. The word is the ending of the file too. */
export const FORMATS = { txt: 'TEXT', srt: 'SRT', vtt: 'VTT', json: 'JSON', md: 'MD', docx: 'DOCX', csv: 'CSV' } as const;

export type Format = keyof typeof FORMATS;

const isFormat = (word: string): word is Format => Object.hasOwn(FORMATS, word);

/** The formats of a list such as `txt,srt`; `null` if one of its words names no format. */
export const formatsIn = (text: string): Format[] | null => {
  const words = [...new Set(text.split(',').map((word) => word.trim().toLowerCase()))];
  return words.every(isFormat) ? words : null;
};

/** The formats that can have a summary above the transcription. */
export const WITH_SUMMARY: readonly Format[] = ['txt', 'md', 'docx'];

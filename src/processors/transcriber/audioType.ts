/** File name of a recording for servers, which read its format from the ending. */
export interface AudioType {
  readonly fileName: string;
  /** `.mp3`; `null` if the kind of file is not known. */
  readonly ending: string | null;
  readonly contentType: string;
}

const type = (ending: string, contentType: string): AudioType => ({ fileName: `audio.${ending}`, ending: `.${ending}`, contentType });

const UNKNOWN: AudioType = { fileName: 'audio.wav', ending: null, contentType: 'application/octet-stream' };

/** Beginnings of files: the offset and the characters there. */
const BEGINNINGS: readonly (readonly [number, string, AudioType])[] = [
  [8, 'WAVE', type('wav', 'audio/wav')],
  [0, 'fLaC', type('flac', 'audio/flac')],
  [0, 'OggS', type('ogg', 'audio/ogg')],
  [0, 'ID3', type('mp3', 'audio/mpeg')],
  [4, 'ftyp', type('m4a', 'audio/mp4')],
  [0, '\x1aE\xdf\xa3', type('webm', 'audio/webm')],
  [0, '#!AMR', type('amr', 'audio/amr')],
  [8, 'AIFF', type('aiff', 'audio/aiff')],
  [0, '\xff\xf1', type('aac', 'audio/aac')],
  [0, '\xff\xf9', type('aac', 'audio/aac')],
  [0, '\xff\xfb', type('mp3', 'audio/mpeg')],
  [0, '\xff\xf3', type('mp3', 'audio/mpeg')],
  [0, '\xff\xf2', type('mp3', 'audio/mpeg')],
];

/** Determined from the first bytes, since an upload has no name. */
export const audioTypeOf = (beginning: Uint8Array): AudioType => {
  const text = Buffer.from(beginning.subarray(0, 16)).toString('latin1');
  return BEGINNINGS.find(([offset, characters]) => text.startsWith(characters, offset))?.[2] ?? UNKNOWN;
};

/** Every content type that may come of it. */
export const AUDIO_CONTENT_TYPES: readonly string[] = [...new Set(BEGINNINGS.map(([, , { contentType }]) => contentType))];

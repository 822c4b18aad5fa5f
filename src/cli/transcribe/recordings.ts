import { extname } from 'node:path';

/** Endings of the recordings and videos that the platform decodes. A file that is named itself is sent whatever its ending is. */
const ENDINGS: ReadonlySet<string> = new Set(
  [
    ['3g2', '3gp', 'aac', 'ac3', 'aif', 'aifc', 'aiff', 'amr', 'ape', 'asf', 'au', 'avi', 'caf', 'eac3', 'flac', 'flv', 'gsm', 'm2ts'],
    ['m4a', 'm4b', 'm4v', 'mka', 'mkv', 'mov', 'mp2', 'mp3', 'mp4', 'mpc', 'mpeg', 'mpg', 'mts', 'mxf', 'nut', 'oga', 'ogg', 'ogv'],
    ['opus', 'qcp', 'snd', 'spx', 'ts', 'tta', 'voc', 'w64', 'wav', 'weba', 'webm', 'wma', 'wmv', 'wv'],
  ].flat(),
);

/** Whether a file that was found in a folder counts as a recording. Hidden ones do not: they are often metadata of the recording beside them. */
export const isRecording = (name: string): boolean => !name.startsWith('.') && ENDINGS.has(extname(name).slice(1).toLowerCase());

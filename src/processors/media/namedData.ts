/** Beginnings of data that people send in place of a recording, and what to tell them. */
const OTHER_DATA: readonly (readonly [beginning: RegExp, is: string])[] = [
  [/^\s*<(!doctype html|html|head|body|script|title|meta)\b/i, 'a web page (HTML), not a recording. Send the link to the recording itself'],
  [/^\s*<\?xml|^\s*<[a-z][\w:-]*[\s>]/i, 'XML, not a recording'],
  [/^\s*["'<]+(https?):\/\//i, 'a link in quotes or brackets. To have a recording fetched, send the link alone as the body'],
  [/^\s*https?:\/\//i, 'a link with other text. To have a recording fetched, send the link alone as the body'],
  [/^\s*["'<]*[a-z][a-z0-9+.-]{1,15}:\/\//i, 'a link that cannot be fetched. Send an http or https link'],
  [/^\s*(\{\s*["}]|\[\s*["[{\]])/, 'JSON, not a recording. To have a recording fetched, send its link alone as the body'],
  [/^\s*(#EXTM3U|\[playlist\]|ffconcat version)/i, 'a playlist, not a recording. Send the recording itself'],
  [/^\s*(WEBVTT|1\s*\r?\n\d\d:\d\d:\d\d[,.]\d{3} -->)/, 'captions, not a recording'],
  [/^%PDF-/, 'a PDF, not a recording'],
  [/^(PK[^\w\s]|[^\x20-\xff]\x8b|7z\xbc\xaf|Rar!|BZh\d)/, 'an archive or a compressed file. Unpack it and send the recording itself'],
  [/^(\x89PNG|\xff\xd8\xff|GIF8)/, 'an image, not a recording'],
];

const LOOKED_AT = 1_024;

/** Names data that are evidently no recording, in a sentence; `null` otherwise. `head`: the first bytes. */
export const evidentlyNoRecording = (head: Uint8Array): string | null => {
  const beginning = Buffer.from(head.subarray(0, LOOKED_AT));
  // Byte order marks of UTF-8 and of both forms of UTF-16.
  const wide = beginning[0] === 0xff && beginning[1] === 0xfe;
  const text = wide ? beginning.toString('utf16le', 2) : beginning.toString('latin1').replace(/^\xef\xbb\xbf/, '');
  const is = OTHER_DATA.find(([pattern]) => pattern.test(text))?.[1];
  return is === undefined ? null : `This is ${is}.`;
};

const NAMES: Readonly<Record<string, string>> = {
  dts: 'DTS',
  rm: 'RealMedia',
  hls: 'HLS playlist',
  concat: 'ffconcat playlist',
  mpegvideo: 'MPEG video without sound',
  h264: 'H.264 video without sound',
  hevc: 'HEVC video without sound',
};

/** A format of ffmpeg as people call it. */
export const formatName = (format: string): string => NAMES[format] ?? format;

/** Characters that some file systems refuse, control characters, and those that turn the direction of a text around. */
const UNSAFE = /[\p{Cc}\p{Cs}\\/:*?"<>|\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu;
const MOST_BYTES = 200;
const EXTENSION = /\.[A-Za-z0-9]{1,10}$/;

/** A name that every file system takes, with its extension. Unsafe characters become `_`. */
export const safeFileName = (text: string, otherwise: string): string => {
  const name = text
    .replace(UNSAFE, '_')
    .trim()
    .replace(/^\.+/, '')
    .replace(/[. ]+$/, '');
  const extension = EXTENSION.exec(name)?.[0] ?? '';
  return shortened(name.slice(0, name.length - extension.length)) + extension || otherwise;
};

const shortened = (text: string): string => {
  let short = '';
  for (const character of text) {
    if (Buffer.byteLength(short) + Buffer.byteLength(character) > MOST_BYTES) return short.trimEnd();
    short += character;
  }
  return short;
};

/** `Content-Disposition` of a file to save (RFC 6266): its name, and a name in ASCII for clients that read no other. */
export const attachment = (fileName: string): { readonly 'Content-Disposition': string } => {
  const ascii = fileName.replace(/[^ -~]/g, '_').replace(/[%"\\]/g, '_');
  const encoded = encodeURIComponent(fileName).replace(/['()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
  return { 'Content-Disposition': `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}` };
};

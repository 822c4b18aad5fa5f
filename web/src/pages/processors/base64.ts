/** Of the UTF-8 bytes of a text. */
export const base64Of = (text: string): string =>
  btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(''));

/** The text with these UTF-8 bytes; `null` if they are not text. */
export const textOfBase64 = (base64: string): string | null => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(atob(base64), (unit) => unit.charCodeAt(0)));
  } catch {
    return null;
  }
};

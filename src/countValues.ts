const [QUOTE, BACKSLASH, COLON, COMMA] = [0x22, 0x5c, 0x3a, 0x2c];
const [ARRAY, OBJECT, ARRAY_END, OBJECT_END] = [0x5b, 0x7b, 0x5d, 0x7d];
const SPACE = 0x20;

/**
 * Whether JSON text has more than `most` values: strings, numbers, literals, objects and arrays, not the names of members. Counts without parsing, since
 * the parsed values may take twenty times the memory of their text. The bytes need not be JSON.
 */
export const hasMoreValues = (bytes: Uint8Array, most: number): boolean => {
  let values = 0;
  let inWord = false;
  // By index: an iterator takes several times as long. The last one may still turn out to be a name.
  for (let at = 0; at < bytes.length && values <= most + 1; at += 1) {
    const byte = bytes[at] ?? SPACE;
    const begins = !inWord;
    inWord = false;
    if (byte <= SPACE || byte === COMMA || byte === ARRAY_END || byte === OBJECT_END) continue;
    // The text before it was a name.
    if (byte === COLON) values -= 1;
    else if (byte === ARRAY || byte === OBJECT) values += 1;
    else if (byte === QUOTE) {
      values += 1;
      at = endOfText(bytes, at + 1);
    } else {
      inWord = true;
      if (begins) values += 1;
    }
  }
  return values > most;
};

const endOfText = (bytes: Uint8Array, from: number): number => {
  let at = from;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
};

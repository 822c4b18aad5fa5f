const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export const isUuid = (text: string): boolean => UUID.test(text);

/** An id as a caller wrote it: a UUID is lower-cased; any other text stays as it is. */
export const idOf = (text: string): string => (isUuid(text) ? text.toLowerCase() : text);

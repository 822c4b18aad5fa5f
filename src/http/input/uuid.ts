/** For schemas of ids, in either case. */
export const UUID_PATTERN = '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$';

const UUID = new RegExp(UUID_PATTERN);

export const isUuid = (text: string): boolean => UUID.test(text);

/** An id as a caller wrote it: a UUID is lower-cased; any other text stays as it is. */
export const idOf = (text: string): string => (isUuid(text) ? text.toLowerCase() : text);

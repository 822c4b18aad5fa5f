/** A UUID in any case, in JSON Schema. Ids of callers are then lower-cased, see `idOf`. */
export const UUID_PATTERN = '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$';
export const UUID_SCHEMA = { type: 'string', pattern: UUID_PATTERN } as const;
const UUID = new RegExp(UUID_PATTERN);

export const isUuid = (text: string): boolean => UUID.test(text);

/** An id as a caller wrote it: a UUID is lower-cased; any other text stays as it is. */
export const idOf = (text: string): string => (isUuid(text) ? text.toLowerCase() : text);

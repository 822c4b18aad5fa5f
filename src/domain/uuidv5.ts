import { v5 } from 'uuid';

/** `uuidv5(namespace, name)`. Accepts any 128 bits in UUID form as namespace, whatever the version digit. */
export const uuidv5 = (namespace: string, name: string): string => v5(name, Buffer.from(namespace.replaceAll('-', ''), 'hex'));

import { v5 } from 'uuid';

/** `uuidv5(namespace, name)`. Any 128 bits written as a UUID are a namespace, whatever their version says. */
export const uuidv5 = (namespace: string, name: string): string => v5(name, Buffer.from(namespace.replaceAll('-', ''), 'hex'));

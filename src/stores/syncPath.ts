import { closeSync, fsyncSync, openSync } from 'node:fs';

/** Makes a file, or the entries of a directory, durable. */
export const syncPath = (path: string): void => {
  const fd = openSync(path, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
};

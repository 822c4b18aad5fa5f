import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A fresh directory that is removed when the test has finished. */
export const temporaryDirectory = (): string => {
  const directory = mkdtempSync(join(tmpdir(), 'tributary-test-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
};

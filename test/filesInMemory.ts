import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';

const MEMORY = '/dev/shm';
/** Bytes. The files of a run take far less. */
const ENOUGH = 4 * 1_024 ** 3;

const hasRoom = (): boolean => {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= ENOUGH;
  } catch {
    return false;
  }
};

/** Containers may have a folder in memory from which no program starts; some tests write programs. */
const startsPrograms = (directory: string): boolean => {
  const program = `${directory}/program`;
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o700 });
  return spawnSync(program).status === 0;
};

/**
 * Keeps the temporary files of all tests in memory if there is room, unless TMPDIR says where. The tests do not test the disk, and would wait for it: each
 * data directory has 256 folders, and every write is synced. `test/faults/power` checks the calls that sync.
 */
export default function keepInMemory(): (() => void) | undefined {
  if (process.env.TMPDIR !== undefined || !hasRoom()) return;
  const directory = mkdtempSync(`${MEMORY}/tributary-`);
  if (startsPrograms(directory)) process.env.TMPDIR = directory;
  return () => rmSync(directory, { recursive: true, force: true });
}

import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { temporaryDirectory } from './temporaryDirectory.ts';

/** A file system of a few MiB that can be filled. `null` if the tests may not mount one. */
export const smallDisk = (mebibytes: number): { directory: string; fill: () => void; free: () => void } | null => {
  const directory = temporaryDirectory();
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'tmpfs', directory], { stdio: 'ignore' });
  } catch {
    return null;
  }
  onTestFinished(() => {
    execFileSync('umount', ['--lazy', directory]);
  });
  const filler = join(directory, 'filler');
  const fill = () => {
    for (const size of [1_048_576, 65_536, 4_096]) {
      try {
        for (;;) writeFileSync(filler, Buffer.alloc(size), { flag: 'a' });
      } catch {
        // Full to this size.
      }
    }
  };
  return { directory, fill, free: () => rmSync(filler) };
};

import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

/** A system call of the traced process. `at` and `done` count the trace's lines: it began at `at` and ended at `done`. */
export interface SystemCall {
  readonly at: number;
  readonly done: number;
  readonly name: string;
  /** Its arguments and its result, as `strace -y -xx` prints them. */
  readonly text: string;
}

/** Options of `strace` for `systemCalls` and `Disk`. Detached: the traced process keeps the id of the started one. */
export const STRACE = (file: string): string[] => [
  ...['strace', '-D', '-f', '--seccomp-bpf', '-y', '-xx', '-s', '1200000', '-o', file, '-e'],
  'trace=openat,write,pwrite64,writev,pwritev,pwritev2,ftruncate,rename,renameat,renameat2,unlink,unlinkat,mkdir,mkdirat,rmdir,fsync,fdatasync,fallocate,copy_file_range,sendmsg',
];

/** The calls of a trace in the order in which they ended; unfinished ones are left out, since their effect is unknown. */
export const systemCalls = async (file: string): Promise<SystemCall[]> => {
  const calls: SystemCall[] = [];
  const open = new Map<string, { at: number; name: string; text: string }>();
  let line = 0;
  for await (const row of createInterface({ input: createReadStream(file, 'latin1'), crlfDelay: Number.POSITIVE_INFINITY })) {
    line += 1;
    const [, thread = '', rest = ''] = /^(\d+) +(.*)$/.exec(row) ?? [];
    const resumed = /^<\.\.\. (\w+) resumed>(.*)$/.exec(rest);
    if (resumed) {
      const begun = open.get(thread);
      if (begun && begun.name === resumed[1]) calls.push({ ...begun, done: line, text: begun.text + resumed[2] });
      open.delete(thread);
      continue;
    }
    const [, name, text = ''] = /^(\w+)\((.*)$/.exec(rest) ?? [];
    if (name === undefined) continue;
    if (text.endsWith(' <unfinished ...>')) open.set(thread, { at: line, name, text: text.slice(0, -' <unfinished ...>'.length) });
    else calls.push({ at: line, done: line, name, text });
  }
  return calls;
};

/** The bytes of a string printed by `-xx`: `\x68\x69`. */
export const bytesOf = (escaped: string): Buffer => Buffer.from(escaped.replaceAll('\\x', ''), 'hex');

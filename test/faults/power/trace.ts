import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

/** A system call of the traced process. `at` and `done` count the trace's lines: before `at` it had not begun, after `done` it had ended. */
export interface SystemCall {
  readonly at: number;
  readonly done: number;
  readonly name: string;
  /** Its arguments and its answer, as `strace -y -xx` prints them. */
  readonly text: string;
}

/** What `strace` has to be told so that `systemCalls` and `Disk` understand it. Detached: the traced process keeps the id of the one that was started. */
export const STRACE = (file: string): string[] => [
  ...['strace', '-D', '-f', '--seccomp-bpf', '-y', '-xx', '-s', '1200000', '-o', file, '-e'],
  'trace=openat,write,pwrite64,writev,pwritev,pwritev2,ftruncate,rename,renameat,renameat2,unlink,unlinkat,mkdir,mkdirat,rmdir,fsync,fdatasync,fallocate,copy_file_range,sendmsg',
];

/** The calls of a trace in the order in which they ended; those that never did are left out, for nothing is known of them. */
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

/** The bytes of a string that `-xx` has printed: `\x68\x69`. */
export const bytesOf = (escaped: string): Buffer => Buffer.from(escaped.replaceAll('\\x', ''), 'hex');

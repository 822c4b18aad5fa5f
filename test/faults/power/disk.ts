import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { bytesOf, type SystemCall } from './trace.ts';

/** A file: its content after a power cut, and the writes since its last sync. */
interface File {
  readonly synced: Content;
  readonly pending: { readonly done: number; readonly change: (content: Content) => void }[];
  /** Offset of the next `write`. */
  cursor: number;
}

/** Bytes of a file. Gaps are zeros. Its memory grows twofold, because logs grow by thousands of small writes. */
class Content {
  /** All bytes from `#length` on are zero. */
  #memory = Buffer.alloc(0);
  #length = 0;

  get bytes(): Buffer {
    return this.#memory.subarray(0, this.#length);
  }

  write(data: Buffer, offset: number): void {
    this.#grow(offset + data.length);
    this.#memory.set(data, offset);
  }

  resize(length: number): void {
    this.#grow(length);
    this.#memory.fill(0, length, this.#length);
    this.#length = length;
  }

  #grow(length: number): void {
    if (length > this.#memory.length) {
      const larger = Buffer.alloc(Math.max(length, 2 * this.#memory.length));
      larger.set(this.bytes);
      this.#memory = larger;
    }
    this.#length = Math.max(this.#length, length);
  }
}

type Names = Map<string, File | Directory>;

interface Directory {
  /** Names that survive a power cut. */
  readonly synced: Names;
  readonly pending: { readonly done: number; readonly change: (names: Names) => void }[];
  readonly entries: Names;
}

const isDirectory = (node: File | Directory): node is Directory => 'entries' in node;
const newDirectory = (): Directory => ({ synced: new Map(), pending: [], entries: new Map() });
const newFile = (): File => ({ synced: new Content(), pending: [], cursor: 0 });

const STRING = String.raw`"((?:\\x[0-9a-f]{2})*)"`;
const DESCRIPTOR = String.raw`\d+<((?:\\x[0-9a-f]{2})+)>`;

/**
 * A disk that loses all unsynced data at a power cut, built from a trace of the system calls on one directory: content counts from the end of an
 * fsync or fdatasync that began after the write had ended, names from such an fsync of their directory.
 */
export class Disk {
  readonly #root: Directory = newDirectory();
  readonly #rootPath: string;

  constructor(rootPath: string) {
    this.#rootPath = rootPath;
  }

  /** Calls must be in the order in which they ended. Throws for an unknown call on a file of the directory. */
  take(call: SystemCall): void {
    if (/= -1 E/.test(call.text.slice(-80))) return;
    if (call.name === 'openat') this.#open(call);
    else if (/^p?writev?(64)?$/.test(call.name)) this.#write(call);
    else if (call.name === 'ftruncate') this.#truncate(call);
    else if (call.name === 'rename') this.#rename(call);
    else if (call.name === 'unlink' || call.name === 'rmdir') this.#remove(call);
    else if (call.name === 'mkdir') this.#enter(this.#path(call, STRING), newDirectory(), call.done);
    else if (call.name === 'fsync' || call.name === 'fdatasync') this.#sync(call);
    else if (this.#concerns(call)) throw new Error(`a call that the disk does not know: ${call.name}(${call.text.slice(0, 200)}`);
  }

  /** Writes the state after a power cut now. */
  cut(directory: string): void {
    const write = (node: Directory, path: string) => {
      mkdirSync(path, { recursive: true, mode: 0o700 });
      for (const [name, child] of node.synced) {
        if (isDirectory(child)) write(child, join(path, name));
        else writeFileSync(join(path, name), child.synced.bytes, { mode: 0o600 });
      }
    };
    write(this.#root, directory);
  }

  #concerns({ text }: SystemCall): boolean {
    return text.includes(Buffer.from(this.#rootPath, 'latin1').toString('hex').replace(/../g, '\\x$&'));
  }

  /** A path below the directory; `null` for all others. SQLite's shared memory is not a durable file. */
  #relative(path: string): string[] | null {
    if (path !== this.#rootPath && !path.startsWith(`${this.#rootPath}/`)) return null;
    if (path.endsWith('-shm') || path.endsWith(' (deleted)')) return null;
    return path.slice(this.#rootPath.length).split('/').filter(Boolean);
  }

  #path({ text }: SystemCall, pattern: string): string[] | null {
    const found = new RegExp(pattern).exec(text);
    return this.#relative(bytesOf(found?.[1] ?? '').toString());
  }

  #find(path: readonly string[]): File | Directory | undefined {
    let node: File | Directory | undefined = this.#root;
    for (const name of path) node = node && isDirectory(node) ? node.entries.get(name) : undefined;
    return node;
  }

  #file(path: readonly string[] | null): File | null {
    const node = path ? this.#find(path) : undefined;
    return node && !isDirectory(node) ? node : null;
  }

  #parent(path: readonly string[]): Directory {
    const node = this.#find(path.slice(0, -1));
    if (!node || !isDirectory(node)) throw new Error(`no directory ${dirname(path.join('/'))}`);
    return node;
  }

  #enter(path: readonly string[] | null, node: File | Directory, done: number): void {
    if (path && !this.#find(path)) this.#change(path, done, (names, name) => names.set(name, node));
  }

  #change(path: readonly string[], done: number, change: (names: Names, name: string) => void): void {
    const directory = this.#parent(path);
    const name = path.at(-1) ?? '';
    change(directory.entries, name);
    directory.pending.push({ done, change: (names) => change(names, name) });
  }

  #open(call: SystemCall): void {
    const path = this.#path(call, STRING);
    if (!path || !/O_CREAT|O_TRUNC/.test(call.text)) return;
    if (call.text.includes('O_CREAT')) this.#enter(path, newFile(), call.done);
    const file = this.#file(path);
    if (!file) return;
    file.cursor = 0;
    if (call.text.includes('O_TRUNC')) file.pending.push({ done: call.done, change: (content) => content.resize(0) });
  }

  #write(call: SystemCall): void {
    const file = this.#file(this.#path(call, DESCRIPTOR));
    if (!file) return;
    const written = Number(/= (\d+)$/.exec(call.text)?.[1]);
    const strings = [...call.text.matchAll(new RegExp(STRING, 'g'))].map(([, escaped = '']) => bytesOf(escaped));
    const data = Buffer.concat(strings).subarray(0, written);
    if (data.length < written) throw new Error('the trace has cut a string off');
    const offset = call.name.startsWith('p') ? Number(/, (\d+)\) += \d+$/.exec(call.text)?.[1]) : file.cursor;
    if (!call.name.startsWith('p')) file.cursor += written;
    file.pending.push({ done: call.done, change: (content) => content.write(data, offset) });
  }

  #truncate(call: SystemCall): void {
    const length = Number(/, (\d+)\) += 0$/.exec(call.text)?.[1]);
    this.#file(this.#path(call, DESCRIPTOR))?.pending.push({
      done: call.done,
      change: (content) => content.resize(length),
    });
  }

  #rename(call: SystemCall): void {
    const [from, to] = [...call.text.matchAll(new RegExp(STRING, 'g'))].map(([, escaped = '']) =>
      this.#relative(bytesOf(escaped).toString()),
    );
    const node = from && this.#find(from);
    if (!node || !to) return;
    this.#change(from, call.done, (names, name) => names.delete(name));
    this.#change(to, call.done, (names, name) => names.set(name, node));
  }

  #remove(call: SystemCall): void {
    const path = this.#path(call, STRING);
    if (path && this.#find(path)) this.#change(path, call.done, (names, name) => names.delete(name));
  }

  #sync(call: SystemCall): void {
    const path = this.#path(call, DESCRIPTOR);
    const node = path && this.#find(path);
    if (!node) return;
    // The sync does not cover writes that ended after it began.
    if (isDirectory(node)) for (const { change } of taken(node.pending, call.at)) change(node.synced);
    else for (const { change } of taken(node.pending, call.at)) change(node.synced);
  }
}

/** Removes from the list what had ended before a moment. */
const taken = <T extends { readonly done: number }>(pending: T[], moment: number): T[] => {
  const before = pending.filter(({ done }) => done < moment);
  pending.splice(0, pending.length, ...pending.filter(({ done }) => done >= moment));
  return before;
};

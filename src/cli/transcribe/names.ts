import { basename, dirname, join, parse, resolve } from 'node:path';
import { decodedOrSame } from '../../percent.ts';
import type { Source } from './sources.ts';

/** Where the outputs of a source go, and the names that they may have, without the ending of the format. */
export interface Place {
  readonly folder: string;
  /** Its name without ending. */
  readonly stem: string;
  /** Its whole name. */
  readonly name: string;
}

/** `output`: the folder of `--output`; `null` for beside the file. A link's outputs go to the current folder. */
export const placeOf = (source: Source, output: string | null): Place => {
  const name = nameOf(source);
  const stem = parse(name).name;
  if (source.kind !== 'file') return { folder: resolve(output ?? '.'), stem, name };
  return { folder: output === null ? dirname(source.path) : resolve(output, source.below), stem, name };
};

/** Name of the recording as a file. */
export const nameOf = (source: Source): string => {
  if (source.kind === 'file') return basename(source.path);
  return source.kind === 'link' ? nameInLink(source.url) : 'stdin';
};

/** The last segment of the path, or else the host. */
const nameInLink = (url: string): string => {
  const { pathname, hostname } = new URL(url);
  const last = pathname.split('/').findLast((segment) => segment !== '') ?? '';
  return (
    decodedOrSame(last)
      .replace(/[\\/:*?"<>|\p{Cc}]/gu, '_')
      .replace(/^\.+/, '') || hostname
  );
};

/** `talk`, then `talk.wav`, `talk.wav.2`, `talk.wav.3` ... `wanted` comes first. */
function* candidates({ stem, name }: Place, wanted: string | null): Generator<string> {
  if (wanted !== null) yield wanted;
  yield stem;
  if (name !== stem) yield name;
  for (let n = 2; ; n++) yield `${name}.${n}`;
}

/** Whether the outputs of a source may have this name. */
export const mayBeCalled = ({ stem, name }: Place, called: string): boolean =>
  called === stem || called === name || (called.startsWith(`${name}.`) && /^[1-9]\d*$/.test(called.slice(name.length + 1)));

/** Which source has which name for its outputs. */
export class Names {
  readonly #owners = new Map<string, string>();

  /**
   * A name of no other source that is not `taken`: the first one without ending, the next one with it. A source gets the same name again.
   * `wanted`: the name that it had before.
   */
  claim(
    source: string,
    place: Place,
    { wanted = null, taken }: { readonly wanted?: string | null; readonly taken: (name: string) => boolean },
  ): string {
    const free = (name: string): boolean => {
      const owner = this.#owners.get(keyOf(place, name));
      return owner === undefined ? name === wanted || !taken(name) : owner === source;
    };
    for (const name of candidates(place, wanted)) {
      if (!free(name)) continue;
      this.#owners.set(keyOf(place, name), source);
      return name;
    }
    throw new Error(`Every name for the outputs of ${source} in ${place.folder} is taken.`);
  }

  /** The source has gone: another one of its path is a new one. */
  release(source: string): void {
    for (const [key, owner] of this.#owners) if (owner === source) this.#owners.delete(key);
  }
}

/** Some file systems do not tell upper from lower case. */
const keyOf = ({ folder }: Place, name: string): string => join(folder, name).toLowerCase();

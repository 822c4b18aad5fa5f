/** One file of a model. The name is a plain file name: no folders. */
export interface ModelFile {
  readonly file: string;
  readonly bytes: number;
  /** Lower-case hexadecimal. */
  readonly sha256: string;
}

/** `many`: every language of Whisper. */
export type ModelLanguages = 'en' | 'many';

/** A model with all its files in place. */
export interface InstalledModel {
  readonly name: string;
  readonly engine: 'whisper' | 'moonshine';
  /** Absolute path of the folder with the files. */
  readonly folder: string;
  readonly languages: ModelLanguages;
  /** Size of all files together. */
  readonly bytes: number;
  /** `published`: its hashes are part of this program. `added`: the operator's own. `packaged`: inside a Python package of `speech/.venv`. */
  readonly origin: 'published' | 'added' | 'packaged';
  readonly files: readonly ModelFile[];
}

export const totalBytes = (files: readonly ModelFile[]): number => files.reduce((sum, { bytes }) => sum + bytes, 0);

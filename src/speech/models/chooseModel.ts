import type { InstalledModel } from './installedModel.ts';
import { publishedModel } from './publishedModels.ts';

interface Wanted {
  /** `model` of the template, else WHISPER_MODEL, else `null`. */
  readonly named: string | null;
  /** `true` if the audio is, or may be, in another language than English. */
  readonly needsMany?: boolean;
}

/**
 * The Whisper model to use: the named one, else the first of `installed` that can do it (`installedModels` gives them in the order of preference).
 * `null` if it is not installed.
 */
export const chooseModel = (installed: readonly InstalledModel[], { named, needsMany = false }: Wanted): InstalledModel | null => {
  const whisper = installed.filter(({ engine }) => engine === 'whisper');
  if (named !== null) return whisper.find(({ name }) => name === named) ?? null;
  return whisper.find(({ languages }) => !needsMany || languages === 'many') ?? null;
};

/** The command that installs a model; without a name, one that every language can use. */
export const installCommand = (name: string | null): string => {
  const wanted = name ?? 'base';
  return publishedModel(wanted) === undefined ? `npx tributary models add ${wanted} FOLDER` : `npx tributary models pull ${wanted}`;
};

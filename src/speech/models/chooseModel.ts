import { COMMAND } from '../../commandName.ts';
import type { InstalledModel } from './installedModel.ts';
import { publishedModel } from './publishedModels.ts';

interface Wanted {
  /** `model` of the template, otherwise WHISPER_MODEL, otherwise `null`. */
  readonly named: string | null;
  /** The audio is, or may be, in a language other than English. */
  readonly needsMultilingual?: boolean;
}

/**
 * The Whisper model to use: the named one, otherwise the first suitable one of `installed` (`installedModels` returns them in order of preference).
 * `null` if it is not installed.
 */
export const chooseModel = (installed: readonly InstalledModel[], { named, needsMultilingual = false }: Wanted): InstalledModel | null => {
  const whisper = installed.filter(({ engine }) => engine === 'whisper');
  if (named !== null) return whisper.find(({ name }) => name === named) ?? null;
  return whisper.find(({ languages }) => !needsMultilingual || languages === 'many') ?? null;
};

/** The command that installs a model; without a name, a model for every language. */
export const installCommand = (name: string | null): string => {
  const wanted = name ?? 'base';
  return publishedModel(wanted) === undefined ? `${COMMAND} models add ${wanted} FOLDER` : `${COMMAND} models pull ${wanted}`;
};

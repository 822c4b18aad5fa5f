/** Names come from command lines, manifests and settings, and become folder and file names: no separators, no leading dot. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

export const isModelName = (name: string): boolean => NAME.test(name);

export const isFileName = (name: string): boolean => NAME.test(name) && name !== RECORD_FILE;

/** Record beside the files of every installed model, with their hashes. */
export const RECORD_FILE = 'tributary-model.json';

/** A request about models that cannot be carried out. The message is for the operator. */
export class ModelError extends Error {
  override readonly name = 'ModelError';
}

/** Throws a `ModelError` for an invalid model name. */
export const checkModelName = (name: string): string => {
  if (isModelName(name)) return name;
  throw new ModelError(
    `"${name}" cannot be the name of a model. Use up to 64 letters, digits, ".", "_" and "-", starting with a letter or digit.`,
  );
};

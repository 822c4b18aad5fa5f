/** Names come from command lines, manifests and settings, and become folder and file names: no separators, no leading dot. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

export const isModelName = (name: string): boolean => NAME.test(name);

export const isFileName = (name: string): boolean => NAME.test(name) && name !== RECORD_FILE;

/** Stands beside the files of every installed model and says what they have to be. */
export const RECORD_FILE = 'tributary-model.json';

/** The models cannot be handled as asked. The message is for the operator. */
export class ModelError extends Error {
  override readonly name = 'ModelError';
}

/** Throws a `ModelError` unless the name can be one of a model. */
export const checkModelName = (name: string): string => {
  if (isModelName(name)) return name;
  throw new ModelError(
    `"${name}" cannot be the name of a model. Use up to 64 letters, digits, ".", "_" and "-", starting with a letter or digit.`,
  );
};

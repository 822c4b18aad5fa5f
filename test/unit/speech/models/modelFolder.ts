import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ModelFile, ModelLanguages } from '../../../../src/speech/models/installedModel.ts';
import { RECORD_FILE } from '../../../../src/speech/models/modelName.ts';

export const fileOf = (file: string, content: string | Buffer): ModelFile => ({
  file,
  bytes: Buffer.byteLength(content),
  sha256: createHash('sha256').update(content).digest('hex'),
});

/** Puts a model with these files into a models folder, as an installation leaves it. */
export const putModel = (
  models: string,
  name: string,
  contents: Readonly<Record<string, string>>,
  languages: ModelLanguages = 'en',
  recordedName = name,
): ModelFile[] => {
  const folder = join(models, name);
  mkdirSync(folder, { recursive: true });
  const files = Object.entries(contents).map(([file, content]) => fileOf(file, content));
  for (const [file, content] of Object.entries(contents)) writeFileSync(join(folder, file), content);
  writeFileSync(join(folder, RECORD_FILE), JSON.stringify({ name: recordedName, languages, files }));
  return files;
};

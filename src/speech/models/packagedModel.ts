import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { filesAreThere } from './filesOnDisk.ts';
import { type InstalledModel, type ModelFile, totalBytes } from './installedModel.ts';

/** The virtual environment made by `npm run setup`, relative to `src` and `dist` alike. */
export const SPEECH_ENVIRONMENT = fileURLToPath(new URL('../../../speech/.venv', import.meta.url));

export const PACKAGED_NAME = 'moonshine-tiny-en';

/** Inside the package moonshine-voice 0.0.62. */
const FILES: readonly ModelFile[] = [
  { file: 'decoder_model_merged.ort', bytes: 30_412_256, sha256: 'cf524c4862d36e9e5ab032eddc73637efd822d70e868ac575cf1a46e1e4708a0' },
  { file: 'encoder_model.ort', bytes: 13_281_600, sha256: '94e90a4654fc45cdfedb77c4c08e1739f48862998e58fada384b25118134f221' },
  { file: 'tokenizer.bin', bytes: 249_974, sha256: '6884b35fd6377d4c4d32336a0bc152f36b64d1e45b6503683cdc238250a8472d' },
];

/** The English model of the package moonshine-voice, or `null` if the package is not installed. */
export const packagedModel = async (environment: string = SPEECH_ENVIRONMENT): Promise<InstalledModel | null> => {
  const library = join(environment, 'lib');
  const versions = await readdir(library).catch(() => []);
  for (const version of versions.filter((name) => name.startsWith('python3.'))) {
    const folder = join(library, version, 'site-packages/moonshine_voice/assets/tiny-en');
    if (await filesAreThere(folder, FILES))
      return {
        name: PACKAGED_NAME,
        engine: 'moonshine',
        folder,
        languages: 'en',
        bytes: totalBytes(FILES),
        origin: 'packaged',
        files: FILES,
      };
  }
  return null;
};

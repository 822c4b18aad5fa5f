// The Whisper model.
import { resolve } from 'node:path';
import { build } from '../build.mjs';

/** Installs the named model; without a name base, unless another Whisper model is installed. Without the hub it prints one line. */
export const installModel = async (named) => {
  await build();
  const [{ readConfig }, { installedModels }, { pullModel }, { publishedModel }, { downloadBar }, { totalBytes }] = await Promise.all(
    [
      'config',
      'speech/models/installedModels',
      'speech/models/pullModel',
      'speech/models/publishedModels',
      'cli/models/downloadBar',
      'speech/models/installedModel',
    ].map((module) => import(`../../dist/${module}.js`)),
  );
  const { modelsDir, modelsUrl } = readConfig({ MODELS_DIR: process.env.MODELS_DIR, MODELS_URL: process.env.MODELS_URL });
  const there = (await installedModels(modelsDir)).filter(({ engine }) => engine === 'whisper');
  if (named === null && there.length > 0) return console.log(`Whisper model: ${there[0].name} is installed`);
  const model = publishedModel(named ?? 'base');
  const size = totalBytes(model.files);
  const bar = downloadBar(model.name, size);
  console.log(`Downloading the Whisper model ${model.name} (${Math.round(size / 1e6)} MB) ...`);
  try {
    await pullModel(model, { modelsDir: resolve(modelsDir), modelsUrl, onProgress: (bytes) => bar.show(bytes) });
    bar.end();
    console.log(`Whisper model: ${model.name} is installed`);
  } catch (error) {
    bar.end();
    const gain = model.languages === 'many' ? '99 languages and fewer errors' : 'fewer errors';
    console.log(
      `No Whisper model yet. ${error.message} English works without one; ${model.name} gives ${gain}: npx tributary models pull ${model.name}`,
    );
  }
};

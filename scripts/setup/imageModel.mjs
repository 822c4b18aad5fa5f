// Downloads the Whisper model SPEECH_MODEL while the image is built. Node runs the sources themselves: a change elsewhere in the program keeps the layer.

import { publishedModel } from '../../src/speech/models/publishedModels.ts';
import { pullModel } from '../../src/speech/models/pullModel.ts';

const { SPEECH_MODEL: name = 'base', MODELS_URL } = process.env;
if (name !== 'none') {
  const model = publishedModel(name);
  if (model === undefined) throw new Error(`SPEECH_MODEL: "${name}" is not one of base, small, tiny.en and none.`);
  try {
    await pullModel(model, { modelsDir: 'models', modelsUrl: MODELS_URL || null, onProgress: () => {} });
  } catch (error) {
    console.log(`Continuing without a Whisper model: English works. ${error.message}`);
  }
}

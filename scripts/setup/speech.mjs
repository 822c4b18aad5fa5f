// Installs what speech needs. A program of its own: it runs on the Node that the setup has just installed. Its argument: the flags of the setup as JSON.
import { installEngines } from './engines.mjs';
import { installModel } from './model.mjs';
import { installSystemPackages } from './systemPackages.mjs';

const { system, speech } = JSON.parse(process.argv[2]);
const missing = installSystemPackages({ allowed: system });
const engines = installEngines();
await installModel(speech);
if (missing !== null || !engines) {
  console.log('\nTranscription does not work yet. Everything else does; uploads that need speech are refused with the reason.');
  if (missing !== null) console.log(missing);
  console.log('Then run npm run setup again, or set TRANSCRIBER_URL to an OpenAI-compatible transcription server.');
}

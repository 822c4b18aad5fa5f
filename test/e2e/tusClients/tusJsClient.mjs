// Uploads a file with tus-js-client, or continues an earlier try: URL of the server, key, file, its template, a folder to remember the upload in, and the
// number of bytes after which to stop without an end (0: never).
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { FileUrlStorage, Upload } from 'tus-js-client';

const [, , url, key, file, template, folder, stopAt] = process.argv;

const upload = new Upload(createReadStream(file), {
  endpoint: `${url}/http-gateway/api/v1/tus`,
  headers: { Authorization: `Basic ${key}` },
  metadata: { filename: 'talk.wav', streamConfigurationTemplateId: template, persist: 'true' },
  chunkSize: 262_144,
  retryDelays: Array.from({ length: 60 }, () => 500),
  urlStorage: new FileUrlStorage(join(folder, 'uploads.json')),
  removeFingerprintOnSuccess: true,
  onChunkComplete: (_, accepted) => {
    console.log(`accepted ${accepted}`);
    if (stopAt > 0 && accepted >= stopAt) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  },
  onSuccess: ({ lastResponse }) => console.log(`done ${lastResponse.getHeader('Tributary-Stream-Id')}`),
  onError: (error) => {
    console.error(error);
    process.exit(1);
  },
});

const [previous] = await upload.findPreviousUploads();
if (previous) upload.resumeFromPreviousUpload(previous);
console.log(previous ? 'continues' : 'begins');
upload.start();

import { createPublicKey, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pipeline } from 'node:stream/promises';
import express, { type Express } from 'express';
import { expressjwt } from 'express-jwt';

/**
 * The baseline of the platform's HTTP benches, in its own process: `node bareServer.js upload|read|echo <directory>`. Does only the work that each
 * bench measures.
 */

/** Streams the body to its own file, fsyncs it and answers. */
const uploads = (app: Express, directory: string): void => {
  app.post('/upload', async (request, response) => {
    const id = randomUUID();
    // `flush` is an fsync before the close.
    await pipeline(request, createWriteStream(join(directory, id), { flags: 'wx', mode: 0o600, flush: true }));
    response.json({ id });
  });
};

/** Checks the bearer token, reads the stream from the platform's own file, and answers with the same resource. */
const reads = (app: Express, directory: string): void => {
  const database = new DatabaseSync(join(directory, 'views.db'));
  const collection = database.prepare("SELECT name FROM collections WHERE name LIKE 'streams@%'").get()?.name;
  const look = database.prepare(`SELECT position, body FROM "doc:${collection}" WHERE id = ? AND body IS NOT NULL`);
  const { TOKEN_KEY = '', ISSUER = '' } = process.env;
  app.use(expressjwt({ secret: createPublicKey(TOKEN_KEY), algorithms: ['ES256'], audience: 'tributary', issuer: ISSUER }));
  app.get('/streams/:id', (request, response) => {
    const row = look.get(request.params.id);
    if (!row) response.status(404).json({ message: 'not found' });
    else response.json(JSON.parse(String(row.body)).stream);
  });
};

/** Returns the body as it arrives, as a declared processor; `/hang` never answers. */
const echoes = (app: Express): void => {
  app.post('/echo', (request, response) => {
    response.type('application/octet-stream');
    request.pipe(response);
  });
  app.post('/hang', (request) => void request.resume());
};

const [, , mode, directory = ''] = process.argv;
const app = express();
app.disable('x-powered-by');
const modes: Readonly<Record<string, typeof reads>> = { upload: uploads, read: reads, echo: echoes };
modes[mode ?? '']?.(app, directory);
const server = app.listen(0, '127.0.0.1', () => {
  // A TCP server's address has this form.
  const { port } = server.address() as AddressInfo;
  console.log(`bare ready http://127.0.0.1:${port}`);
});
process.on('SIGTERM', () => process.exit(0));

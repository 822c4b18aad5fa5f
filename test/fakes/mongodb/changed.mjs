// FerretDB 1.24 makes indexes in SQLite, and then asks for documents by other expressions than those that it has indexed: each look-up, by
// `_id` too, reads a whole collection. And it comes to a standstill under many updates at once. So that tests with many documents and nodes take
// minutes and not hours, it is built with these changes. Its updates and deletions are a query and a write, between which another may come; here they
// are one step, as MongoDB's are.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const sources = dirname(fileURLToPath(import.meta.url));
const MODULE = 'github.com/FerretDB/FerretDB';
const ADDED = join(sources, '_changed/where.go');

/** Each text is there once in its file; a FerretDB in which it is not must be looked at again. */
const CHANGES = [
  ['backends/sqlite/metadata/metadata.go', `DefaultColumn + "->'$._id'"`, `DefaultColumn + "->'_id'"`],
  [
    'backends/sqlite/collection.go',
    '\tq += whereClause\n\tq += prepareOrderByClause',
    '\twhereClause, args = where(params.Filter)\n\tq += whereClause\n\tq += prepareOrderByClause',
  ],
  ['handler/msg_find.go', '!h.EnableNestedPushdown', 'false'],
  ['handler/msg_aggregate.go', '!h.EnableNestedPushdown', 'false'],
  // Each update of a bulk keeps its connection to SQLite until the bulk is over: two bulks that need more than a hundred wait for each other for ever.
  ['handler/msg_update.go', '\t\tdefer closer.Close()\n', ''],
  [
    'handler/msg_update.go',
    'result, err := common.UpdateDocument(ctx, c, "update", iter, &u)\n',
    'result, err := common.UpdateDocument(ctx, c, "update", iter, &u)\n\t\tcloser.Close()\n',
  ],
  // One change at a time, as SQLite has one writer.
  ['handler/msg_update.go', '// MsgUpdate implements', 'var changing sync.Mutex\n\n// MsgUpdate implements'],
  ['handler/msg_update.go', '\t"fmt"\n\n', '\t"fmt"\n\t"sync"\n\n'],
  [
    'handler/msg_update.go',
    '\tfor _, u := range params.Updates {\n',
    '\tchanging.Lock()\n\tdefer changing.Unlock()\n\n\tfor _, u := range params.Updates {\n',
  ],
  [
    'handler/msg_delete.go',
    'p *common.Delete) (int32, error) {\n',
    'p *common.Delete) (int32, error) {\n\tchanging.Lock()\n\tdefer changing.Unlock()\n\n',
  ],
  // So would a hundred single updates at once, each of which reads on one connection and writes on another.
  ['backends/sqlite/metadata/pool/opendb.go', 'db.SetMaxOpenConns(100)', 'db.SetMaxOpenConns(0)'],
];

/** What it is made of, for a digest. */
export const CHANGED_SOURCES = [ADDED, fileURLToPath(import.meta.url)];

/** Everything below `from`, as files that can be written and removed: those of Go's cache cannot. */
const copyWritable = (from, to) => {
  for (const entry of readdirSync(from, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath ?? entry.path, entry.name);
    const copy = join(to, relative(from, path));
    mkdirSync(dirname(copy), { recursive: true });
    writeFileSync(copy, readFileSync(path));
  }
};

const ferretDb = () => {
  const { stdout, status } = spawnSync('go', ['mod', 'download', '-json', MODULE], { cwd: sources, encoding: 'utf8' });
  if (status !== 0) throw new Error(`go mod download failed: ${stdout}`);
  return JSON.parse(stdout).Dir;
};

/** Writes a changed FerretDB and a `go.mod` that names it below `directory`; answers the path of the latter. */
export const writeChanged = (directory) => {
  const changed = join(directory, 'FerretDB');
  copyWritable(ferretDb(), changed);
  for (const [file, old, text] of CHANGES) {
    const path = join(changed, 'internal', file);
    const pieces = readFileSync(path, 'utf8').split(old);
    if (pieces.length !== 2) throw new Error(`${file} of FerretDB has changed: ${JSON.stringify(old)} is there ${pieces.length - 1} times`);
    writeFileSync(path, pieces.join(text));
  }
  copyFileSync(ADDED, join(changed, 'internal/backends/sqlite/where.go'));
  const modfile = join(directory, 'go.mod');
  writeFileSync(modfile, `${readFileSync(join(sources, 'go.mod'), 'utf8')}\nreplace ${MODULE} => ${changed}\n`);
  copyFileSync(join(sources, 'go.sum'), join(directory, 'go.sum'));
  return modfile;
};

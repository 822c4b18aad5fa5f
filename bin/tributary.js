#!/usr/bin/env node
'use strict';

const wanted = require('../package.json').engines.node.replace('>=', '');
if (process.versions.node.localeCompare(wanted, 'en', { numeric: true }) < 0) {
  console.error(
    `Tributary needs Node ${wanted} or newer; this is ${process.versions.node}. Run npm run setup, then npm start or npx tributary: they use the Node that it installs.`,
  );
  process.exit(1);
}

// Every upload syncs files in Node's thread pool, whose four threads are too few for that. The size is read when the pool is first used, which
// loading an ES module does: so this one file is CommonJS.
process.env.UV_THREADPOOL_SIZE ??= '16';

const { existsSync } = require('node:fs');
const { join } = require('node:path');

const run = async () => {
  // In a checkout, what has changed is compiled first.
  if (existsSync(join(__dirname, '../src'))) await (await import('../scripts/build.mjs')).build();
  const { main } = await import('../dist/program/tributary.js');
  await main(process.argv.slice(2));
};

// A reader such as `head` may leave early.
process.stdout.on('error', (error) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});

void run();

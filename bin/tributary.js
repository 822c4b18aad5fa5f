#!/usr/bin/env node
'use strict';

// Every upload syncs files in Node's thread pool, whose four threads are too few for that. The size is read when the pool is first used, which
// loading an ES module does: so this one file is CommonJS.
process.env.UV_THREADPOOL_SIZE ??= '16';

// With plenty of memory, V8 lets the heap grow to four times its live size before a full collection. Collecting at a third above it keeps a server under attack small:
// at twice the live size, `npm run attack` took 664 MB (bound: 600). It costs processor time in V8's helper threads.
// With little memory, V8's own choice is better.
const v8 = require('node:v8');
if (v8.getHeapStatistics().heap_size_limit >= 2 ** 31) v8.setFlagsFromString('--heap-growing-percent=35');

const { existsSync } = require('node:fs');
const { join } = require('node:path');

const run = async () => {
  // In a checkout, what has changed is compiled first.
  if (existsSync(join(__dirname, '../src'))) await (await import('../scripts/build.mjs')).build();
  const { main } = await import('../dist/program/tributary.js');
  await main(process.argv.slice(2));
};

void run();

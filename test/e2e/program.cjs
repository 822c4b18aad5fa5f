'use strict';

// The program as bin/tributary.js starts it, without looking whether dist is up to date: test/build.ts saw to that once for all tests, and the look costs
// as much as a short command.
process.env.UV_THREADPOOL_SIZE ??= '16';
void import('../../dist/program/tributary.js').then(({ main }) => main(process.argv.slice(2)));

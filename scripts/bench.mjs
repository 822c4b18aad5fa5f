// npm run bench -- append: compiles src and bench to dist-bench, then runs the benches.
import { copyFileSync } from 'node:fs';
import { build } from './build.mjs';
import { installed, runNode, tool } from './tool.mjs';

const NAMES = [
  ...[
    'append',
    'append-esdb',
    'command',
    'upload',
    'upload-cluster',
    'upload-large',
    'intake',
    'read',
    'start',
    'live',
    'deliver',
    'isolation',
    'processors',
    'backlog',
  ],
  ...['rebuild', 'rebuild-mongo', 'search', 'transcript', 'verify', 'growth', 'speech', 'short-clip'],
];

const program = tool('bench')
  .description('Measures the platform and baselines that do only the same work, in turn, and prints a table.')
  .argument('[names...]', `which: ${NAMES.join(', ')}`)
  .option('--full', 'at the full size, which the bars are meant for; some benches take many minutes')
  .option('--long', 'for speech: only the recording of three hours, which takes about half an hour')
  .addHelpText('after', '\nThe results are in bench/results.json too.\n\n  npm run bench -- read --full')
  .parse();

const unknown = program.args.filter((name) => !NAMES.includes(name));
if (unknown.length > 0) program.error(`error: there is no bench ${unknown.join(', ')}`);

const { full, long } = program.opts();
if (long && program.args.join() !== 'speech')
  program.error('error: --long is an option of the bench speech: npm run bench -- speech --long');

// Benches that start a whole server run it from dist, as users do.
await build();
runNode([installed('typescript', 'bin/tsc'), '-p', 'bench']);
// The program reads its version from the package beside it.
copyFileSync('package.json', 'dist-bench/package.json');
runNode(['dist-bench/bench/main.js', ...program.args, ...(full ? ['--full'] : []), ...(long ? ['--long'] : [])]);

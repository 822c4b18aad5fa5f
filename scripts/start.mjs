// npm start: compiles what has changed, then runs the command line in this very process, so that signals reach the server.
import { build } from './build.mjs';

build();
const { main } = await import('../dist/cli/tributary.js');
await main(['start', ...process.argv.slice(2)]);

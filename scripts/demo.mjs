// npm run demo: compiles what has changed, then runs the demonstration.
import { build } from './build.mjs';

build();
const { main } = await import('../dist/cli/tributary.js');
await main(['demo', ...process.argv.slice(2)]);

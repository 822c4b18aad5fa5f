import { append } from './append.ts';
import { command } from './command.ts';
import { runBenches } from './frame.ts';
import { upload } from './upload.ts';

// Run as dist-bench/bench/main.js.
await runBenches([append, command, upload], process.argv.slice(2), new URL('../../', import.meta.url));

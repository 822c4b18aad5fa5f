import { append } from './append.ts';
import { appendEsdb } from './appendEsdb.ts';
import { backlog } from './backlog.ts';
import { command } from './command.ts';
import { deliver } from './deliver.ts';
import { runBenches } from './frame.ts';
import { growth } from './growth.ts';
import { intake } from './intake.ts';
import { isolation } from './isolation.ts';
import { live } from './live.ts';
import { processors } from './processors.ts';
import { read } from './read.ts';
import { rebuild } from './rebuild.ts';
import { rebuildMongo } from './rebuildMongo.ts';
import { search } from './search.ts';
import { shortClip } from './shortClip.ts';
import { speech } from './speech.ts';
import { start } from './start.ts';
import { transcript } from './transcript.ts';
import { upload } from './upload.ts';
import { uploadCluster } from './uploadCluster.ts';
import { uploadLarge } from './uploadLarge.ts';
import { verify } from './verify.ts';

// Run as dist-bench/bench/main.js.
await runBenches(
  [
    append,
    appendEsdb,
    command,
    upload,
    uploadCluster,
    uploadLarge,
    intake,
    read,
    start,
    live,
    deliver,
    isolation,
    processors,
    backlog,
    rebuild,
    rebuildMongo,
    search,
    transcript,
    verify,
    growth,
    speech,
    shortClip,
  ],
  process.argv.slice(2),
  new URL('../../', import.meta.url),
);

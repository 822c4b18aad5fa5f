// npm run soak -- --minutes 30: mixed load on one server, and its effect on memory, files, the event loop and the read models.
import { resolve } from 'node:path';
import { numberLike, runNode, tool, vitest } from './tool.mjs';

const { minutes, cluster, heapSnapshots } = tool('soak')
  .description(
    [
      'Uploads, cancels, webhooks, exports, live readers, WebSocket sessions and audits, all at once, on a server whose streams expire after seconds. Samples',
      'resident memory, open files, event-loop delay and lag; draws them to soak.svg; fails when memory or files still grow after the first third, or, with --cluster, after the first two minutes.',
    ].join(' '),
  )
  .option(
    '--minutes <n>',
    'how long; memory is judged from 10 on, with --cluster from 6 on',
    numberLike(/^(?=.*[1-9])\d{1,5}(\.\d+)?$/, 'a number above 0'),
    '30',
  )
  .option(
    '--cluster',
    'the three processes of the cluster form, on MONGODB_URL or FerretDB, and on EVENTSTORE_URL or the fake EventStoreDB of the tests',
  )
  .option('--heap-snapshots <folder>', 'SIGUSR2 makes a process of the server write a heap snapshot there')
  .addHelpText('after', '\n  npm run soak -- --minutes 30\n  npm run soak -- --cluster --minutes 10')
  .parse()
  .opts();

runNode([vitest, 'run', '--config', 'vitest.long.config.ts', 'test/soak'], {
  MINUTES: minutes,
  ...(cluster && { TRIBUTARY_FORM: 'cluster' }),
  ...(heapSnapshots && { HEAP_SNAPSHOTS: resolve(heapSnapshots) }),
});

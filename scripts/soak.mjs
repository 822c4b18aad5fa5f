// npm run soak -- --minutes 30: mixed load on one server, and its effect on memory, files, the event loop and the read models.
import { numberLike, runNode, tool, vitest } from './tool.mjs';

const { minutes } = tool('soak')
  .description(
    [
      'Uploads, cancels, webhooks, exports, live readers, WebSocket sessions and audits, all at once, on a server whose streams expire after seconds. Samples',
      'resident memory, open files, event-loop delay and lag; draws them to soak.svg; fails when memory or files still grow after the first third.',
    ].join(' '),
  )
  .option('--minutes <n>', 'how long; memory is judged from 10 on', numberLike(/^(?=.*[1-9])\d{1,5}(\.\d+)?$/, 'a number above 0'), '30')
  .addHelpText('after', '\n  npm run soak -- --minutes 30')
  .parse()
  .opts();

runNode([vitest, 'run', '--config', 'vitest.long.config.ts', 'test/soak'], { MINUTES: minutes });

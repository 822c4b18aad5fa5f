// npm run test:crash -- --kills 200 [--form cluster] [--topics s3]: kills a server under load that often, then checks that nothing was lost.
import { Option } from 'commander';
import { numberLike, runNode, tool, vitest } from './tool.mjs';

const { kills, minutes, form, load, topics } = tool('test:crash')
  .description(
    [
      'Runs uploads, cancels, reruns (singly and in bulk), switches of webhook endpoints, credential and template changes, 24 at a time, and corrections, undos, labels and links of transcripts against a real server, and kills it with SIGKILL: in',
      'turn at a random moment and, where strace is installed, at a named point (before a sync of the log, before an answer is sent, ...). Then it compares the log',
      'with everything that was acknowledged, the webhooks that arrived with those that were due, and the read models with the log. After each kill (each twentieth of 100 and more), every acknowledged correction must be there, and found by the search.',
    ].join(' '),
  )
  .option('--kills <n>', 'number of kills', numberLike(/^[1-9]\d{0,5}$/, 'a number from 1'), '10')
  .option('--minutes <n>', 'end the kills after this time, then compare', numberLike(/^[1-9]\d{0,3}$/, 'a number from 1'))
  .addOption(
    new Option(
      '--form <form>',
      [
        'embedded: one process, which is killed; cluster: four nodes over a fake EventStoreDB and FerretDB, of which one at a time is killed and started',
        'again while the load continues at the others (its leases stay taken for TEST_LEASE_TTL_MS, 8000 unless set). Needs Go: the first run builds FerretDB, which takes some minutes',
      ].join(' '),
    )
      .choices(['embedded', 'cluster'])
      .default('embedded'),
  )
  .addOption(
    new Option('--topics <where>', 'local: in the stores of the form; s3: large ones in a bucket, on a server that is built with Go')
      .choices(['local', 's3'])
      .default('local'),
  )
  .addOption(new Option('--load <load>', 'mixed, or reruns: most commands run streams again').choices(['mixed', 'reruns']).default('mixed'))
  .addHelpText('after', '\n  npm run test:crash -- --kills 20 --form cluster')
  .parse()
  .opts();

runNode([vitest, 'run', '--config', 'vitest.long.config.ts', 'test/crash'], {
  KILLS: kills,
  FORM: form,
  LOAD: load,
  TOPICS: topics,
  ...(minutes && { MINUTES: minutes }),
});

// npm run attack -- [names...]: attacks its own server like a hostile tenant, and prints the effect on others.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { numberLike, root, runNode, tool, vitest } from './tool.mjs';

const program = tool('attack')
  .description(
    [
      'Starts a server and attacks it as an ordinary user, or without a credential. Meanwhile other processes measure the latency of /health/live, the uploads of',
      'an innocent tenant and the memory of the server. Prints one table. Fails if an attack has an outcome that is not documented, if /health/live takes more than',
      'a second, or 250 ms at the 99th percentile, if the innocent tenant keeps less than a third of its uploads, if memory passes 1 GiB, if an acknowledged upload',
      'is lost, or if anything is still slow five seconds later.',
    ].join(' '),
  )
  .argument('[names...]', 'which attacks; all by default')
  .option('--seconds <n>', 'how long each attack runs (default: 10)', numberLike(/^[1-9]\d{0,3}$/, 'a whole number'))
  .option('--untimed', 'times are printed and not judged, because shared machines are noisy')
  .addHelpText('after', '\n  npm run attack -- forms --seconds 30')
  .parse();

const files = ['requests', 'streams'].map((file) => readFileSync(join(root, `test/attack/attacks/${file}.ts`), 'utf8'));
const known = files.flatMap((text) => [...text.matchAll(/^ {2}name: '([\w-]+)'/gm)].map(([, name]) => name));
const unknown = program.args.filter((name) => !known.includes(name));
if (unknown.length > 0) program.error(`error: there is no attack ${unknown.join(', ')}. Choose from: ${known.join(', ')}`);

const { seconds, untimed } = program.opts();
const environment = {
  ATTACK_NAMES: program.args.join(','),
  ...(seconds === undefined ? {} : { ATTACK_SECONDS: seconds }),
  ...(untimed ? { ATTACK_UNTIMED: '1' } : {}),
};
runNode([vitest, 'run', '--config', 'vitest.long.config.ts', 'test/attack'], environment);

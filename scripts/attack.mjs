// npm run attack -- [--short] [names...]: attacks its own server like a hostile tenant, and prints the effect on others.
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { numberLike, root, runNode, tool, vitest } from './tool.mjs';

const program = tool('attack')
  .description(
    [
      'Starts a server and attacks it as an ordinary user, or without a credential. Meanwhile other processes measure the latency of /health/live, the speed of an',
      'innocent tenant and the resident memory of the server. Prints one table. Fails when an attack is not refused as documented, when memory passes 600 MB, and,',
      'without --short, when /health/live takes more than 100 ms or the innocent tenant loses half of its speed.',
    ].join(' '),
  )
  .argument('[names...]', 'which attacks; all by default')
  .option('--short', 'a few seconds each; times are printed and not judged, because shared machines are noisy')
  .option('--seconds <n>', 'how long each attack runs (default: 10, with --short 3)', numberLike(/^[1-9]\d{0,3}$/, 'a whole number'))
  .option('--far', 'the attacker runs at a low priority, as if it had a machine of its own (needs root)')
  .option('--profile <file>', 'writes a CPU profile of each server to <file>-<process id>.cpuprofile')
  .addHelpText('after', '\n  npm run attack -- form-body --seconds 30')
  .parse();

const list = readFileSync(join(root, 'test/attack/attacks.ts'), 'utf8');
const folder = [...list.matchAll(/'\.\/attacks\/(\w+)\.ts'/g)].map(([, file]) =>
  readFileSync(join(root, `test/attack/attacks/${file}.ts`), 'utf8'),
);
const known = folder.flatMap((text) => [...text.matchAll(/^ {2}name: '([\w-]+)'/gm)].map(([, name]) => name));
known.push('all-together');
const unknown = program.args.filter((name) => !known.includes(name));
if (unknown.length > 0) program.error(`error: there is no attack ${unknown.join(', ')}. Choose from: ${known.join(', ')}`);

const { short, seconds, far, profile } = program.opts();
const environment = {
  ATTACK_NAMES: program.args.join(','),
  ...(short ? { ATTACK_SHORT: '1' } : {}),
  ...(far ? { ATTACK_FAR: '1' } : {}),
  ...(profile === undefined ? {} : { ATTACK_PROFILE: resolve(profile) }),
  ...(seconds === undefined ? {} : { ATTACK_SECONDS: seconds }),
};
runNode([vitest, 'run', '--config', 'vitest.long.config.ts', 'test/attack'], environment);

import { Command } from 'commander';
import type { Json } from '../json.ts';
import type { ProjectionStatus } from '../projections/projection.ts';
import { runWhereTheDataAre } from './runOperation.ts';
import { table } from './table.ts';

/** `tributary projections status | rebuild | skip | drop`. */
export const projectionsCommand = (): Command => {
  const projections = new Command('projections').description('The read models: how far they are, and building them again from the log.');
  projections
    .command('status')
    .description('Position, lag, rate and state of every projection.')
    .option('--json', 'for machines')
    .addHelpText('after', '\nExample:\n  tributary projections status --json')
    .action(async ({ json }) => showStatus(await runWhereTheDataAre('projections status', {}), json));
  projections
    .command('rebuild [name]')
    .description('Build a read model again from the log; exits 0 only when it has caught up and taken over.')
    .option('--all', 'every projection')
    .addHelpText('after', '\nExample:\n  tributary projections rebuild streams\n  tributary projections rebuild --all')
    .action(async (name: string | undefined, { all }) => {
      if ((name === undefined) === !all) throw new Error('Name one projection, or say --all.');
      await runWhereTheDataAre('projections rebuild', { name: name ?? 'all' });
      process.stdout.write('Rebuilt.\n');
    });
  projections
    .command('skip <name> <position>')
    .description('Let a stopped projection go on behind the event that it cannot handle.')
    .addHelpText('after', '\nExample:\n  tributary projections skip usage 00000000000000000042')
    .action(async (name: string, position: string) => {
      await runWhereTheDataAre('projections skip', { name, position });
      process.stdout.write('Skipped.\n');
    });
  projections
    .command('drop [name]')
    .description('Drop what earlier versions and rebuilds have left; nothing that is served or being built.')
    .addHelpText('after', '\nExample:\n  tributary projections drop')
    .action(async (name: string | undefined) => {
      const dropped = await runWhereTheDataAre('projections drop', name === undefined ? {} : { name });
      process.stdout.write(Array.isArray(dropped) && dropped.length > 0 ? `Dropped ${dropped.join(', ')}.\n` : 'Nothing to drop.\n');
    });
  return projections;
};

const showStatus = (result: Json, json: boolean | undefined): void => {
  if (json) return void process.stdout.write(`${JSON.stringify(result)}\n`);
  // The operation of our own table gave it: see `operations.ts`.
  const all = result as unknown as ProjectionStatus[];
  const rows = all.map(({ name, version, state, position, lagEvents, lagSeconds, rate }) => [
    `${name}@${version}`,
    state,
    position ?? '-',
    String(lagEvents),
    `${lagSeconds} s`,
    `${Math.round(rate)}/s`,
  ]);
  process.stdout.write(`${table(['projection', 'state', 'position', 'lag', 'behind', 'rate'], rows)}\n`);
  for (const { name, error } of all) if (error !== null) process.stdout.write(`\n${name}: ${error}\n`);
};

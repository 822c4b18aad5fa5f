import { Command } from 'commander';
import type { Json } from '../json.ts';
import type { ProjectionStatus } from '../projections/projection.ts';
import { silent } from './progress.ts';
import { runWhereTheDataAre } from './runOperation.ts';
import { table } from './table.ts';

/** `tributary projections status | rebuild | skip | drop`. */
export const projectionsCommand = (): Command => {
  const projections = new Command('projections')
    .description('Show and rebuild the read models.')
    .addHelpText('after', '\nExample:\n  tributary projections status');
  projections
    .command('status')
    .description('Show position, lag, rate and state of every projection.')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  tributary projections status --json')
    .action(async ({ json }) => showStatus(await runWhereTheDataAre('projections status', {}), json));
  projections
    .command('rebuild [name]')
    .description('Rebuild a read model from the log. Exits 0 only when it has caught up and is served.')
    .option('--all', 'every projection')
    .option('--json', 'print the status afterwards as JSON, without progress')
    .addHelpText('after', '\nExample:\n  tributary projections rebuild streams\n  tributary projections rebuild --all')
    .action(async (name: string | undefined, { all, json }, command: Command) => {
      if ((name === undefined) === !all) command.error('Name one projection, or say --all.');
      await runWhereTheDataAre('projections rebuild', { name: name ?? 'all' }, ...(json ? [silent] : []));
      if (json) await showRows(name);
      else process.stdout.write('Rebuilt.\n');
    });
  projections
    .command('skip <name> <position>')
    .description('Skip the event that a stopped projection cannot handle.')
    .option('--json', 'print its status afterwards as JSON')
    .addHelpText('after', '\nExample:\n  tributary projections skip usage 00000000000000000042')
    .action(async (name: string, position: string, { json }) => {
      await runWhereTheDataAre('projections skip', { name, position });
      if (json) await showRows(name);
      else process.stdout.write('Skipped.\n');
    });
  projections
    .command('drop [name]')
    .description('Drop read models left by earlier versions and rebuilds. Keeps everything that is served or being built.')
    .option('--json', 'print the dropped names as JSON')
    .addHelpText('after', '\nExample:\n  tributary projections drop')
    .action(async (name: string | undefined, { json }) => {
      const dropped = await runWhereTheDataAre('projections drop', name === undefined ? {} : { name });
      if (json) process.stdout.write(`${JSON.stringify(dropped)}\n`);
      else process.stdout.write(Array.isArray(dropped) && dropped.length > 0 ? `Dropped ${dropped.join(', ')}.\n` : 'Nothing to drop.\n');
    });
  return projections;
};

const showRows = async (name: string | undefined): Promise<void> => {
  const rows = (await runWhereTheDataAre('projections status', {})) as unknown as ProjectionStatus[];
  process.stdout.write(`${JSON.stringify(name === undefined ? rows : rows.filter((row) => row.name === name))}\n`);
};

const showStatus = (result: Json, json: boolean | undefined): void => {
  if (json) return void process.stdout.write(`${JSON.stringify(result)}\n`);
  // Safe cast: the operation is one of our own: see `operations.ts`.
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

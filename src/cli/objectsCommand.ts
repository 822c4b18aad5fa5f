import { Command } from 'commander';
import { runWhereTheDataAre } from './runOperation.ts';

/** `tributary objects confirm`. */
export const objectsCommand = (): Command => {
  const objects = new Command('objects')
    .description('Look after the bucket of TOPICS_URL.')
    .addHelpText('after', '\nExample:\n  tributary objects confirm');
  objects
    .command('confirm')
    .description(
      'After a restore: confirm that the restored data are the ones to keep. From then on, objects without an owner are deleted again when they are older than seven days.',
    )
    .addHelpText('after', '\nExample:\n  tributary objects confirm')
    .action(async () => {
      await runWhereTheDataAre('objects confirm', {});
      process.stdout.write('Confirmed.\n');
    });
  return objects;
};

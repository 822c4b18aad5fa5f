import { Command } from 'commander';
import { isJsonObject, type Json } from '../json.ts';
import { textOf } from './operation.ts';
import { runWhereTheDataAre } from './runOperation.ts';

/** `tributary link`. */
export const linkCommand = (): Command =>
  new Command('link')
    .description('Print a link that signs an administrator in to the dashboard. It works once, for 15 minutes.')
    .addHelpText('after', '\nExample:\n  tributary link')
    .action(async () => void process.stdout.write(`${urlIn(await runWhereTheDataAre('link', {}))}\n`));

const urlIn = (result: Json): string => textOf(isJsonObject(result) ? result : {}, 'url');

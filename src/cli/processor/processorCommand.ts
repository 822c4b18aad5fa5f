import { Command, Option } from 'commander';
import { declarationCommands } from './declarationCommands.ts';
import { initStarter, LANGUAGES } from './initStarter.ts';

/** `tributary processor init | check | declare | list | rotate | delete | test`: for those who write processors of their own. */
export const processorCommand = (): Command => {
  const processor = new Command('processor')
    .description('Write a processor of your own, check that it follows the protocol, and declare it.')
    .addHelpText('after', '\nExample:\n  tributary processor init --lang python my-processor');
  processor
    .command('init <directory>')
    .description('Write a small working processor into a new directory.')
    .addOption(new Option('--lang <language>', 'language of the example').choices([...LANGUAGES]).makeOptionMandatory())
    .addHelpText('after', '\nExample:\n  tributary processor init --lang python my-processor')
    .action((directory: string, { lang }: { lang: string }) => initStarter(directory, lang));
  processor
    .command('check <url>')
    .description('Send a processor what the platform may send it, and explain each failure. It must take and give text.')
    .option('--secret <secret>', 'secret that the processor checks signatures with (whsec_...). Default: TRIBUTARY_PROCESSOR_SECRET')
    .addHelpText(
      'after',
      '\nExample:\n  tributary processor check http://127.0.0.1:9000 --secret whsec_...\n\nExit code: 0 when every case passes, else 1.',
    )
    .action(async (url: string, { secret }: { secret?: string }) => {
      const { check } = await import('./check.ts');
      await check(url, secret ?? process.env.TRIBUTARY_PROCESSOR_SECRET ?? null);
    });
  for (const command of declarationCommands()) processor.addCommand(command);
  return processor;
};

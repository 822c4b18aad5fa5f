import { Command, Option } from 'commander';
import type { Json } from '../../json.ts';
import { declarationCommands } from './declarationCommands.ts';
import type { SchemaChoice } from './forms.ts';
import { initStarter, LANGUAGES } from './initStarter.ts';
import { jsonWord, schemaWord } from './schemaWords.ts';

interface CheckOptions {
  readonly input: SchemaChoice;
  readonly output: SchemaChoice;
  readonly example?: Json;
  readonly secret?: string;
}

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
    .description('Send a processor what the platform may send it, and explain each failure.')
    .option(
      '--input <schema>',
      'what it takes: bytes, string, the name of a built-in message, or @file with a JSON Schema',
      schemaWord,
      'string',
    )
    .option('--output <schema>', 'what it gives: the same choices', schemaWord, 'string')
    .option('--example <payload>', 'a message that it takes, as JSON or @file; default: the examples in its input schema', jsonWord)
    .option('--secret <secret>', 'secret that the processor checks signatures with (whsec_...). Default: TRIBUTARY_PROCESSOR_SECRET')
    .addHelpText(
      'after',
      '\nExamples:\n  tributary processor check http://127.0.0.1:9000 --secret whsec_...\n  tributary processor check http://127.0.0.1:9000 --input bytes --output @output.json\n\nExit code: 0 when every case passes, else 1.',
    )
    .action(async (url: string, options: CheckOptions) => {
      const [{ check }, { formOf }] = await Promise.all([import('./check.ts'), import('./forms.ts')]);
      const { input, output, example, secret = process.env.TRIBUTARY_PROCESSOR_SECRET } = options;
      await check(url, secret ?? null, formOf(input, output, example === undefined ? [] : [example]));
    });
  for (const command of declarationCommands()) processor.addCommand(command);
  return processor;
};

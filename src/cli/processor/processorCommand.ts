import { Command, Option } from 'commander';
import type { Json } from '../../json.ts';
import { jsonWord, objectWord, schemaWord } from '../words.ts';
import type { DeclareOptions, TestOptions } from './declarations.ts';
import type { SchemaChoice } from './forms.ts';
import { initStarter, LANGUAGES } from './initStarter.ts';
import { DEFAULT_URL } from './ownServer.ts';

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

const SERVER_HELP = `\nThe server is TRIBUTARY_URL (default ${DEFAULT_URL}), asked with the API key TRIBUTARY_API_KEY.`;

/** The work itself is loaded when it is asked for. */
const work = () => import('./declarations.ts');

/** `tributary processor declare | list | rotate | delete | test`, against a running server. */
const declarationCommands = (): Command[] => [declare(), list(), rotate(), remove(), test()];

const declare = (): Command =>
  new Command('declare')
    .description('Declare a processor, or its next version. Its secret is shown only once.')
    .option('--name <text>', 'what to call it')
    .option('--url <url>', 'where it takes runs')
    .option('--input <schema>', 'bytes, string, the name of a built-in message, or @file with a JSON Schema', schemaWord)
    .option('--output <schema>', 'the same choices', schemaWord)
    .addOption(new Option('--mode <mode>', 'live: it gets its input while it grows (default: batch)').choices(['batch', 'live']))
    .option('--description <text>', 'what it does')
    .option('--properties <schema>', '@file with the JSON Schema of its properties', objectWord)
    .option('--file <file>', 'JSON with these and all other members, such as price and limits; options replace them')
    .option('--id <id>', 'give this declaration its next version')
    .option('--shared', 'for all users; needs an administrator')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `\nExample:\n  tributary processor declare --name Redact --url http://127.0.0.1:9000/ --input string --output string\n${SERVER_HELP}`,
    )
    .action(async (options: DeclareOptions) => (await work()).declare(options));

const list = (): Command =>
  new Command('list')
    .description('The processors that your templates can use.')
    .option('--json', 'print JSON')
    .addHelpText('after', `\nExample:\n  tributary processor list\n${SERVER_HELP}`)
    .action(async ({ json }: { json?: boolean }) => (await work()).list(json === true));

const rotate = (): Command =>
  new Command('rotate')
    .argument('<id>', 'declaration')
    .description('Give a processor a new secret. The old one also signs for 24 hours.')
    .option('--json', 'print JSON')
    .addHelpText('after', `\nExample:\n  tributary processor rotate 65f46430c6d8985974ff9c9d\n${SERVER_HELP}`)
    .action(async (id: string, { json }: { json?: boolean }) => (await work()).rotate(id, json === true));

const remove = (): Command =>
  new Command('delete')
    .argument('<id>', 'declaration')
    .description('Delete a processor. Templates that name it refuse uploads.')
    .addHelpText('after', `\nExample:\n  tributary processor delete 65f46430c6d8985974ff9c9d\n${SERVER_HELP}`)
    .action(async (id: string) => (await work()).remove(id));

const test = (): Command =>
  new Command('test')
    .argument('<id>', 'declaration')
    .description('Run a processor once, outside any stream. Exit code 1 when the run fails.')
    .requiredOption('--input <data>', 'text, base64 for bytes, a JSON list of payloads for messages; or @file with it')
    .option('--properties <json>', 'properties of the run as JSON, or @file. Default: those of the declaration', objectWord)
    .addHelpText(
      'after',
      `\nExample:\n  tributary processor test 65f46430c6d8985974ff9c9d --input 'Write to ana@example.org.'\n${SERVER_HELP}`,
    )
    .action(async (id: string, options: TestOptions) => (await work()).test(id, options));

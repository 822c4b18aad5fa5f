import { Command, CommanderError } from 'commander';
import { describeSettings } from '../config.ts';
import { BadSetting } from '../setting.ts';
import { VERSION } from '../version.ts';
import { auditCommand } from './auditCommand.ts';
import { credentialsCommand } from './credentialsCommand.ts';
import { linkCommand } from './linkCommand.ts';
import { modelsCommand } from './models/modelsCommand.ts';
import { movingCommands } from './movingCommand.ts';
import { objectsCommand } from './objectsCommand.ts';
import { processorCommand } from './processor/processorCommand.ts';
import { projectionsCommand } from './projectionsCommand.ts';
import type { StartOptions } from './start.ts';
import { transcribeCommand, withBareOptions } from './transcribe/transcribeCommand.ts';

/** Exit codes: 0 success, 1 failure, 2 wrong arguments. */
export const main = async (words: readonly string[]): Promise<void> => {
  try {
    await program().parseAsync(words[0] === 'transcribe' ? withBareOptions(words) : words, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? 0 : 2;
      return;
    }
    process.stderr.write(`${explain(error)}\n`);
    process.exitCode = error instanceof BadSetting ? 2 : 1;
  }
};

const explain = (error: unknown): string => {
  if (error instanceof BadSetting) return `Bad setting ${error.message}. All settings: tributary start --help`;
  return error instanceof Error ? error.message : String(error);
};

/** Actions import their code when they run, so that `--help` and commands beside a running server start fast. */
const program = (): Command => {
  const tributary = new Command('tributary')
    .description('Event-sourced stream processing that you host yourself.')
    .version(VERSION, '-V, --version', 'show which version this is')
    .addHelpText('after', '\nExample:\n  tributary transcribe talk.mp3\n  tributary start\n  tributary demo --help')
    .exitOverride()
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError('(see --help)');
  tributary
    .command('start')
    .description('Start the platform. Settings come from the environment.')
    .option(
      '--serve-stale',
      'after an update that changes read models, serve the old ones until the new ones are built. Lists are not updated during that time',
    )
    .addHelpText(
      'after',
      `\nSettings (environment variables):\n${settingsHelp()}\n\nExample:\n  PORT=9000 DATA_DIR=/var/lib/tributary tributary start`,
    )
    .action(async (options: StartOptions) => {
      await (await import('./start.ts')).start(options);
    });
  tributary
    .command('demo')
    .description('Show the platform at work: speech in; transcript, summary, sentiment, cost and events out.')
    .addHelpText(
      'after',
      '\nStarts a server of its own on a fresh data directory, or uses TRIBUTARY_URL with TRIBUTARY_API_KEY.\n\nExample:\n  TRIBUTARY_URL=http://127.0.0.1:8080 TRIBUTARY_API_KEY=... tributary demo',
    )
    .option('--live', 'speak in real time into the WebSocket gateway and show each utterance as it is recognised')
    .action(async (options: { live?: boolean }) => (await import('./demo/demo.ts')).demo(options));
  for (const command of [
    transcribeCommand(),
    credentialsCommand(),
    linkCommand(),
    modelsCommand(),
    processorCommand(),
    projectionsCommand(),
    objectsCommand(),
    auditCommand(),
    ...movingCommands(),
  ])
    tributary.addCommand(command);
  inheritSettings(tributary);
  return tributary;
};

/** Applies to subcommands made elsewhere too: errors are thrown instead of exiting. */
const inheritSettings = (command: Command): void => {
  for (const child of command.commands) {
    child.copyInheritedSettings(command);
    inheritSettings(child);
  }
};

const settingsHelp = (): string => {
  const settings = describeSettings();
  const width = Math.max(...settings.map(({ name }) => name.length)) + 2;
  return settings.map(({ name, shown, meaning }) => `  ${name.padEnd(width)}${meaning}${shown === '' ? '' : ` [${shown}]`}`).join('\n');
};

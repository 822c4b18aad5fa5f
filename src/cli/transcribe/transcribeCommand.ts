import { Command, InvalidArgumentError, Option } from 'commander';
import { countWord } from '../words.ts';
import { FORMATS, type Format, formatsIn } from './formats.ts';
import type { TranscribeOptions } from './settings.ts';

const EXAMPLES = `
Uses the server of --server, or the one that runs on this machine (DATA_DIR), or else transcribes in this process and leaves nothing running.
Exit codes: 0 all done, 1 some failed, 2 wrong use, 130 after Ctrl-C.

Examples:
  tributary transcribe talk.mp3
  tributary transcribe recordings --format txt,srt --output texts
  tributary transcribe 'calls/**/*.wav' --speakers=2 --summary
  tributary transcribe https://example.org/talk.mp3
  ffmpeg -i talk.mkv -f wav - | tributary transcribe - > talk.txt
  tributary transcribe inbox --watch --done done --failed failed`;

/** `tributary transcribe`. */
export const transcribeCommand = (): Command =>
  new Command('transcribe')
    .description(
      'Transcribe recordings: files, folders, globs, links, or - for standard input. The text of talk.mp3 is written to talk.txt.',
    )
    .argument('<path...>', 'files, folders with all that is in them, quoted globs, http(s) links, or -')
    .addOption(
      new Option('--format <list>', `outputs, comma-separated: ${Object.keys(FORMATS).join(', ')}`)
        .argParser(formatsWord)
        .default(['txt'], 'txt'),
    )
    .option('--output <folder>', 'where outputs go (default: beside the recording; for links the current folder)')
    .option('--stdout', 'write the text to standard output instead of files')
    .option('--language <code>', 'language of the speech, such as de (default: found out where the model can)')
    .option(
      '--speakers [=count]',
      'tell the speakers apart; with a number, that many are expected: another number is a warning',
      speakersWord,
    )
    .option('--summary', 'add a summary: above the text in txt, md and docx, a member of json')
    .option('--template <id or name>', 'what is done with the recordings (default: transcribe)')
    .option('--set <key=value>', 'set a property of the template. Repeat it for more', setWord)
    .option('--label <label>', 'label the streams. Repeat it for more', listWord)
    .option(
      '--keep [=duration]',
      'keep the streams on the server, such as --keep=P30D (default: they are deleted when the outputs are written)',
      keepWord,
    )
    .option('--jobs <count>', 'recordings at once', countWord, 4)
    .option(
      '--force',
      'transcribe again what is done, and replace files that are there (default: a recording whose output was made with these settings is skipped, and another file of that name is kept as talk.txt~)',
    )
    .option('--json', 'print a JSON line for each recording: {file, status, streamId, outputs, error}')
    .option('--watch', 'stay, and take every recording that appears in the folders and has not changed for 2 seconds')
    .option('--done <folder>', 'with --watch: move recordings there when their outputs are written')
    .option('--failed <folder>', 'with --watch: move recordings there that failed')
    .addOption(new Option('--server <url>', 'server to use').env('TRIBUTARY_URL'))
    .option('--key <key>', 'its API key. Better set TRIBUTARY_API_KEY: other users of the machine see arguments')
    .addHelpText('after', EXAMPLES)
    .action(async (words: readonly string[], options: Omit<TranscribeOptions, 'set' | 'label'>) => {
      // As the server does: timers of a platform in this process may be left.
      process.exit(await (await import('./transcribe.ts')).transcribe(words, { set: [], label: [], ...options }));
    });

const formatsWord = (text: string): Format[] => {
  const formats = formatsIn(text);
  if (formats === null) throw new InvalidArgumentError(`Choose from ${Object.keys(FORMATS).join(', ')}.`);
  return formats;
};

const speakersWord = (text: string): number | true => (text === '' ? true : countWord(text));

const keepWord = (text: string): string | true => (text === '' ? true : text);

const setWord = (text: string, before: readonly (readonly [string, string])[] = []): (readonly [string, string])[] => {
  const equals = text.indexOf('=');
  if (equals < 1) throw new InvalidArgumentError('Write it as key=value.');
  return [...before, [text.slice(0, equals), text.slice(equals + 1)]];
};

const listWord = (text: string, before: readonly string[] = []): string[] => [...before, text];

/** Options whose value follows `=` only: `--speakers talk.mp3` names a recording. */
export const withBareOptions = (words: readonly string[]): string[] => {
  const end = words.indexOf('--');
  return words.map((word, n) => ((word === '--speakers' || word === '--keep') && (end < 0 || n < end) ? `${word}=` : word));
};

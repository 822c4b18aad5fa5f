import { readFileSync } from 'node:fs';
import { Command, Option } from 'commander';
import { systemClock } from '../clock.ts';
import type { Json, JsonObject } from '../json.ts';
import type { Say } from './controlSocket.ts';
import { drawn, silent } from './progress.ts';
import { runWhereTheDataAre, toStdout } from './runOperation.ts';
import type { ExportedLog } from './verifyFile.ts';
import { countWord, momentWord, timeWord } from './words.ts';

/** `tributary audit events | event | state | verify | seals | export | erase`. */
export const auditCommand = (): Command => {
  const audit = new Command('audit')
    .description('Read and verify the event log, and erase a person.')
    .addHelpText('after', '\nExample:\n  tributary audit verify');
  for (const command of [events(), event(), state(), verify(), seals(), exported(), erase()]) audit.addCommand(command);
  return audit;
};

const events = (): Command =>
  new Command('events')
    .argument('[eventStream]', 'show all events of this event stream, oldest first')
    .description('Show events of the log: the newest 100, or those that match.')
    .option('--category <name>', 'only event streams of this category, such as stream')
    .option('--type <type>', 'only of this type')
    .option('--subject <id>', 'only of this owner')
    .option('--correlation-id <id>', 'only events caused by this request')
    .option('--from <time>', 'at or after this ISO 8601 time', timeWord)
    .option('--to <time>', 'at or before this time', timeWord)
    .addOption(new Option('--order <order>', 'of the log').choices(['asc', 'desc']))
    .option('--after <position>', 'only after this position')
    .option('--size <count>', 'number of events', countWord)
    .option('--all', 'no limit')
    .option('--json', 'whole events, one JSON line each')
    .addHelpText(
      'after',
      '\nExamples:\n  tributary audit events stream-0f8b7c8e-3c2f-4a53-9d0e-3f0f5b0c9a11\n  tributary audit events --type StreamFailed --from 2026-11-01 --json',
    )
    .action(async (eventStream: string | undefined, { json, all, order, size, ...filters }) => {
      const whole = all || eventStream !== undefined;
      const input = { ...filters, order: order ?? (eventStream === undefined ? 'desc' : 'asc'), size: size ?? (whole ? null : 100) };
      const say: Say = { ...silent, output: (text) => toStdout(json ? text : inLines(text)) };
      await runWhereTheDataAre('audit events', eventStream === undefined ? input : { ...input, eventStream }, say);
    });

const event = (): Command =>
  new Command('event')
    .argument('<id>')
    .description('One event, as JSON.')
    .option('--json', 'on one line')
    .addHelpText('after', '\nExample:\n  tributary audit event 7f4d0c1e-8a51-4c0e-9d50-0a4f3c1b2d3e')
    .action(async (id: string, { json }) => show(await runWhereTheDataAre('audit event', { id }), json));

const state = (): Command =>
  new Command('state')
    .argument('<eventStream>')
    .description(
      'Show the state of an event stream, now or at an earlier moment. With a second moment, also show the difference as a JSON Patch.',
    )
    .option('--as-of <moment>', 'a revision (from 0) or an ISO 8601 time, inclusive', momentWord)
    .option('--compare-with <moment>', 'a second moment, in the same form', momentWord)
    .option('--json', 'on one line')
    .addHelpText(
      'after',
      '\nExample:\n  tributary audit state stream-0f8b7c8e-3c2f-4a53-9d0e-3f0f5b0c9a11 --as-of 2 --compare-with 2026-11-21T10:00:00Z',
    )
    .action(async (eventStream: string, { json, ...moments }) =>
      show(await runWhereTheDataAre('audit state', { eventStream, ...moments }), json),
    );

const verify = (): Command =>
  new Command('verify')
    .argument('[eventStream]', 'only this one')
    .description('Verify every hash chain and seal. Exits 0 if all hold, 1 if something is broken.')
    .option('--file <log.ndjson>', 'verify an exported log instead, without a server')
    .option('--seals <seals.ndjson>', 'with --file: the exported seals')
    .option('--key <key.pem>', 'with --file: the public key to trust, instead of the one in the exported seals')
    .option(
      '--expect <seal.ndjson>',
      'also check that the log still holds this seal, which was kept elsewhere (a line of "tributary audit seals")',
    )
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExport the seals before the log. Later seals cover more than the log contains, and verification then reports that its end is missing.' +
        '\n\nExamples:\n  tributary audit verify\n  tributary audit verify --file log.ndjson --seals seals.ndjson',
    )
    .action(async (eventStream: string | undefined, { json, file, seals, key, expect }, command: Command) => {
      const say: Say = json ? silent : drawn();
      const wrong = wrongWords(eventStream, file, seals, key);
      if (wrong !== null) command.error(wrong);
      if (expect !== undefined && (file !== undefined || eventStream !== undefined))
        command.error('--expect checks the whole log. Omit the event stream and --file.');
      const input = { ...(eventStream !== undefined && { eventStream }), ...(expect !== undefined && { expected: lastLineOf(expect) }) };
      const verdict =
        file === undefined
          ? await runWhereTheDataAre('audit verify', input, say)
          : await verifiedFile({ file, seals: seals ?? null, key: key ?? null }, say);
      if (!json && process.stderr.isTTY) process.stderr.write('\n');
      showVerdict(verdict, json);
    });

const verifiedFile = async (log: ExportedLog, say: Say): Promise<Json> => {
  const [{ shownVerdict }, { verifyFile }] = await Promise.all([import('../audit/shownVerdict.ts'), import('./verifyFile.ts')]);
  return shownVerdict(await verifyFile(log, systemClock, say));
};

/** The newest seal is the last line. Only it is compared. */
const lastLineOf = (file: string): string => readFileSync(file, 'utf8').trimEnd().split('\n').at(-1) ?? '';

const wrongWords = (eventStream?: string, file?: string, seals?: string, key?: string): string | null => {
  if (file === undefined) return seals === undefined && key === undefined ? null : '--seals and --key go with --file.';
  if (eventStream !== undefined) return '--file always verifies the whole file. Omit the event stream.';
  if (seals !== undefined || key !== undefined) return null;
  return 'Pass --seals <file> (made with "tributary audit seals"), or --key <file> to check the seals in the log itself.';
};

const seals = (): Command =>
  new Command('seals')
    .description(
      'Export the seals and the public key that signed them, as JSON lines. Do this before "audit export", and keep the file elsewhere.',
    )
    .addHelpText('after', '\nExample:\n  tributary audit seals > seals.ndjson')
    .action(async () => void (await runWhereTheDataAre('audit seals', {})));

const exported = (): Command =>
  new Command('export')
    .description('Export the stored log as JSON lines, oldest first, for "audit verify --file". Personal members stay encrypted.')
    .addHelpText('after', '\nExample:\n  tributary audit export > log.ndjson')
    .action(async () => void (await runWhereTheDataAre('audit events', { order: 'asc', form: 'stored' })));

const erase = (): Command =>
  new Command('erase')
    .argument('<subject>')
    .description('Erase a person: destroy their keys, credentials, documents and bytes permanently. The log still verifies.')
    .requiredOption('--yes', 'confirm: this cannot be undone')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  tributary audit erase 3b1f8f0e-0c5d-4f0e-8d5e-9f0a1b2c3d4e --yes')
    .action(async (subject: string, { json }) => show(await runWhereTheDataAre('audit erase', { subject }), json));

const show = (result: Json, json: boolean | undefined): void =>
  void process.stdout.write(`${json ? JSON.stringify(result) : JSON.stringify(result, null, 2)}\n`);

interface ShownVerdict {
  ok: boolean;
  checked: number;
  sealed: string | null;
  firstBroken: { eventStream: string; revision: string; position: string; reason: string } | null;
  notes: string[];
}

const showVerdict = (result: Json | JsonObject, json: boolean | undefined): void => {
  // Safe cast: the operation is one of our own: see `auditOperations.ts`.
  const { ok, checked, sealed, firstBroken, notes } = result as unknown as ShownVerdict;
  if (!ok) process.exitCode = 1;
  if (json) {
    show(result, true);
    return;
  }
  const unsealed = ok ? 'unsealed' : 'no seal verified';
  const told = `${checked.toLocaleString('en')} events checked, ${sealed === null ? unsealed : `sealed up to ${sealed}`}`;
  const verdict = firstBroken
    ? `BROKEN at ${firstBroken.eventStream} revision ${firstBroken.revision} (position ${firstBroken.position}): ${firstBroken.reason}\n${told}`
    : `Everything holds: ${told}`;
  process.stdout.write(`${[verdict, ...notes.map((note) => `Note: ${note}`)].join('\n')}\n`);
};

interface ShownEvent {
  eventStream: string;
  type: string;
  revision: string;
  metadata: { time: string; actor: string };
}

const inLines = (text: string): string =>
  text
    .split('\n')
    .map((line) => (line === '' ? '' : `${inOneLine(JSON.parse(line))}\n`))
    .join('');

const inOneLine = ({ metadata, eventStream, revision, type }: ShownEvent): string =>
  `${metadata.time}  ${eventStream}  ${revision.padStart(4)}  ${type.padEnd(20)}  ${metadata.actor}`;

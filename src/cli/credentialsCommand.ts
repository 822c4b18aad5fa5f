import { Command, Option } from 'commander';
import type { IssuedCredential } from '../commands/credentials.ts';
import { CREDENTIAL_KINDS, CREDENTIAL_ROLES } from '../domain/credentials/events.ts';
import type { Json } from '../json.ts';
import { runWhereTheDataAre } from './runOperation.ts';
import { table } from './table.ts';
import { labelWord, timeWord, uuidWord } from './words.ts';

type ShownCredential = Omit<IssuedCredential, 'secret' | 'clientId'> & { secret?: string; clientId?: string | null };

/** `tributary credentials create | list | rotate | revoke`. */
export const credentialsCommand = (): Command => {
  const credentials = new Command('credentials')
    .description('Issue, list, rotate and revoke credentials, beside a running server or without one.')
    .addHelpText('after', '\nExample:\n  tributary credentials create --kind api-key --role user --label reporting');
  credentials
    .command('create')
    .description('Issue a credential. Its secret is shown only once.')
    .addOption(new Option('--kind <kind>', 'what to issue').choices(CREDENTIAL_KINDS).makeOptionMandatory())
    .addOption(new Option('--role <role>', 'what it may do').choices(CREDENTIAL_ROLES).makeOptionMandatory())
    .requiredOption('--label <text>', 'what it is for', labelWord)
    .option('--subject <uuid>', 'owner that it acts for (default: a new one)', uuidWord)
    .option('--expires <time>', 'when it stops working, ISO 8601', timeWord)
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  tributary credentials create --kind api-key --role user --label reporting')
    .action(async ({ kind, role, label, subject, expires, json }) => {
      const input = { kind, role, label, ...(subject ? { subject } : {}), ...(expires ? { expiresTimestamp: expires } : {}) };
      showIssued(await runWhereTheDataAre('credentials create', input), json);
    });
  credentials
    .command('list')
    .description('Every credential, without secrets.')
    .option('--subject <uuid>', 'only of this owner')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  tributary credentials list --json')
    .action(async ({ subject, json }) => showList(await runWhereTheDataAre('credentials list', subject ? { subject } : {}), json));
  credentials
    .command('rotate <id>')
    .description('Give a credential a new secret. The old secret and its tokens stop working.')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  tributary credentials rotate 7f4d0c1e-8a51-4c0e-9d50-0a4f3c1b2d3e')
    .action(async (id: string, { json }) => showIssued(await runWhereTheDataAre('credentials rotate', { id }), json));
  credentials
    .command('revoke <id>')
    .description('Revoke a credential and every token made from it, within a second.')
    .addHelpText('after', '\nExample:\n  tributary credentials revoke 7f4d0c1e-8a51-4c0e-9d50-0a4f3c1b2d3e')
    .action(async (id: string) => {
      await runWhereTheDataAre('credentials revoke', { id });
      process.stdout.write('Revoked.\n');
    });
  return credentials;
};

/** Safe cast: the operation is one of our own: see `operations.ts`. */
const shown = (result: Json): ShownCredential => result as unknown as ShownCredential;

const showIssued = (result: Json, json: boolean | undefined): void => {
  if (json) return void process.stdout.write(`${JSON.stringify(result)}\n`);
  const { id, kind, role, subject, clientId, secret, expiresTimestamp } = shown(result);
  const lines = [
    `id       ${id}`,
    `kind     ${kind}, role ${role}`,
    `subject  ${subject}`,
    ...(clientId ? [`client   ${clientId}`] : []),
    `secret   ${secret}`,
    `expires  ${expiresTimestamp ?? 'never'}`,
  ];
  process.stdout.write(`${lines.join('\n')}\nThe secret is not shown again.\n`);
};

const showList = (result: Json, json: boolean | undefined): void => {
  if (json) return void process.stdout.write(`${JSON.stringify(result)}\n`);
  const rows = (result as Json[]).map(shown);
  const cells = rows.map(({ id, kind, role, label, clientId, subject, expiresTimestamp }) => [
    id,
    kind,
    role,
    label ?? '',
    clientId ?? '',
    subject,
    expiresTimestamp ?? 'never',
  ]);
  process.stdout.write(`${table(['id', 'kind', 'role', 'label', 'client', 'subject', 'expires'], cells)}\n`);
};

import { Command } from 'commander';
import type { Json } from '../json.ts';
import { runWhereTheDataAre } from './runOperation.ts';

interface ShownEvent {
  type: string;
  revision: string;
  metadata: { time: string; actor: string };
}

/** `tributary audit events`. */
export const auditCommand = (): Command => {
  const audit = new Command('audit').description('Read the event log.');
  audit
    .command('events <eventStream>')
    .description('The events of one event stream, oldest first.')
    .option('--json', 'whole events, one JSON line each')
    .addHelpText('after', '\nExample:\n  tributary audit events stream-0f8b7c8e-3c2f-4a53-9d0e-3f0f5b0c9a11')
    .action(async (eventStream: string, { json }) => {
      const events = await runWhereTheDataAre('audit event-stream', { eventStream });
      for (const event of Array.isArray(events) ? events : []) process.stdout.write(`${json ? JSON.stringify(event) : inOneLine(event)}\n`);
    });
  return audit;
};

const inOneLine = (event: Json): string => {
  // The operation of our own table gave it: see `operations.ts`.
  const { metadata, revision, type } = event as unknown as ShownEvent;
  return `${metadata.time}  ${revision.padStart(4)}  ${type.padEnd(20)}  ${metadata.actor}`;
};

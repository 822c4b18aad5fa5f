import { systemClock } from '../clock.ts';
import { COMMAND } from '../commandName.ts';
import type { IssuedCredential } from '../commands/credentials.ts';
import { readConfig } from '../config.ts';
import { createLogging } from '../logging.ts';
import { type RunningPlatform, startPlatform } from '../main.ts';
import { BadSetting } from '../setting.ts';

export interface StartOptions {
  /** See `PlatformDeps`. Only in the embedded form. */
  readonly serveStale?: boolean;
}

/** `tributary start`: serves until SIGTERM or SIGINT. */
export const start = async ({ serveStale = false }: StartOptions = {}): Promise<void> => {
  const config = readConfig(process.env);
  if (serveStale && config.eventstoreUrl !== null) throw new BadSetting('--serve-stale', NOT_ALONE);
  const logger = createLogging({ level: config.logLevel });
  // A failure in the background must not stop the server.
  process.on('unhandledRejection', (error) => logger.error({ err: error }, 'unhandled rejection'));
  let platform: RunningPlatform | null = null;
  let stopping = false;
  const stop = async (signal: NodeJS.Signals): Promise<void> => {
    if (stopping) return;
    stopping = true;
    logger.info({ signal }, 'stopping');
    // Before it listens nothing needs an orderly stop, and it may be waiting for its stores.
    await platform?.stop({ linger: signal === 'SIGTERM' });
    process.exit(0);
  };
  process.on('SIGTERM', stop).on('SIGINT', stop);
  platform = await startPlatform(config, { clock: systemClock, logger, serveStale, onCredentialsMade: showOnce });
  await platform.ready().catch((error: unknown) => {
    if (!stopping) throw error;
  });
  if (stopping) return;
  process.stdout.write(`tributary ready ${platform.url}\n`);
  const dashboard = config.roles.includes('http') ? (config.publicUrl ?? platform.url) : null;
  if (process.stderr.isTTY) process.stderr.write(next(dashboard));
  else if (dashboard !== null) logger.info({ url: dashboard }, 'dashboard');
};

const NOT_ALONE =
  'it works for a single node only. With EVENTSTORE_URL, start the new version beside the old one; the old nodes keep serving their read models';

/** `dashboard`: its address, if this node serves one. */
const next = (dashboard: string | null): string => `
${dashboard === null ? '' : `Dashboard: ${dashboard} (sign in with the administrator's API key)\n`}Next: README.md, "First transcription", or ${COMMAND} demo in another terminal. Ctrl+C stops the server.
`;

const showOnce = (made: readonly IssuedCredential[]): void => {
  const lines = made.flatMap(({ kind, clientId, secret }) =>
    kind === 'api-key' ? [`  API key        ${secret}`] : [`  client id      ${clientId}`, `  client secret  ${secret}`],
  );
  process.stderr.write(
    `\nAn administrator was created. These credentials are shown only once. Store them now:\n\n${lines.join('\n')}\n\nIf you lose them: ${COMMAND} credentials create --kind api-key --role admin --label mine\n\n`,
  );
};

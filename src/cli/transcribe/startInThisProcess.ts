import { systemClock } from '../../clock.ts';
import { type Config, ROLES } from '../../config.ts';
import { createLogging } from '../../logging.ts';
import { type RunningPlatform, startPlatform } from '../../main.ts';

/** A platform on the data directory that listens on a free port of this machine only. It leaves the first credentials to the first `tributary start`. */
export const startInThisProcess = async (config: Config): Promise<RunningPlatform> => {
  const logger = createLogging({ level: 'error' });
  const platform = await startPlatform(
    { ...config, host: '127.0.0.1', port: 0, publicUrl: null, roles: ROLES },
    { clock: systemClock, logger },
  );
  await platform.ready();
  return platform;
};

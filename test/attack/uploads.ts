import { setTimeout as wait } from 'node:timers/promises';
import { PING_TEMPLATE, upload } from '../e2e/client.ts';
import type { Target } from './attack.ts';

const LANES = 6;
const PAUSE_MILLISECONDS = 200;

/** Makes `count` uploads, several at once. Repeats those that the server refuses for now (429 and 503), and fails at any other answer. */
export const uploads = async ({ url, key }: Pick<Target, 'url' | 'key'>, count: number, query: Readonly<Record<string, string>> = {}) => {
  let left = count;
  const lane = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const { status } = await upload(url, { streamConfigurationTemplateId: PING_TEMPLATE, ...query }, 'x', { key });
      if (status < 300) continue;
      if (status !== 429 && status !== 503) throw new Error(`an upload was answered with ${status}`);
      left += 1;
      await wait(PAUSE_MILLISECONDS);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
};

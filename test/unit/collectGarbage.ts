import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

export const collectGarbage = async (): Promise<void> => {
  setFlagsFromString('--expose-gc');
  await new Promise((resolve) => setImmediate(resolve));
  runInNewContext('gc')();
};

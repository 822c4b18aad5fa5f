import { jsonOrThrow, memberOf } from '../../json.ts';
import type { EventStore } from '../eventStore.ts';
import type { BrokenLink } from './hashChain.ts';
import { SEALS } from './seals.ts';

/** A seal that was kept elsewhere: a line of `tributary audit seals`. Its hash pins every seal before it. */
export interface ExpectedSeal {
  readonly revision: bigint;
  readonly hash: string;
}

const sealIn = (line: string): ExpectedSeal | null => {
  const event = jsonOrThrow(
    line,
    () => new Error('The file holds a line that is not JSON. It must be a line of "tributary audit seals", or several.'),
  );
  const [revision, hash] = [memberOf(event, 'revision'), memberOf(memberOf(event, 'metadata'), 'hash')];
  const isSeal = memberOf(event, 'type') === 'LogSealed' && typeof revision === 'string' && /^\d{1,18}$/.test(revision);
  return isSeal && typeof hash === 'string' ? { revision: BigInt(revision), hash } : null;
};

/** The newest seal in lines of `tributary audit seals`. Throws a sentence if there is none. */
export const readExpectedSeal = (text: string): ExpectedSeal => {
  let newest: ExpectedSeal | null = null;
  for (const line of text.split('\n')) {
    const seal = line.trim() === '' ? null : sealIn(line);
    if (seal && (newest === null || seal.revision > newest.revision)) newest = seal;
  }
  if (newest === null) throw new Error('The file holds no seal. It must be a line of "tributary audit seals", or several.');
  return newest;
};

/** `null` if the log still has the seal; otherwise its place and what is wrong. Detects a log that was restored from an older copy. */
export const findExpectedSeal = async (
  store: Pick<EventStore, 'readStream'>,
  { revision, hash }: ExpectedSeal,
): Promise<BrokenLink | null> => {
  const [found] = await store.readStream(SEALS, { from: revision, limit: 1 });
  if (found?.revision === revision && found.metadata.hash === hash) return null;
  const reason = found ? 'it is not the seal that was kept elsewhere' : 'the log does not hold the seal that was kept elsewhere';
  return { eventStream: SEALS, revision, position: found?.position ?? '', reason };
};

import type { Clock } from '../clock.ts';
import { within } from '../supervision/within.ts';
import type { Documents } from './documents.ts';
import type { EventStore } from './eventStore.ts';
import type { Keys } from './keys/openKeys.ts';
import type { Topics } from './topics.ts';

export interface CheckedStores {
  readonly store: Pick<EventStore, 'head'>;
  readonly documents: Pick<Documents, 'listCollections'>;
  readonly topics: Pick<Topics, 'size'>;
  readonly keys: Pick<Keys, 'acceptedKeys'>;
  readonly clock: Clock;
}

export interface StoreCheck {
  readonly name: 'eventLog' | 'documents' | 'vault' | 'topics';
  readonly ok: boolean;
  /** Text for operators. Contains no address and no driver's message. */
  readonly detail: string;
}

/** A store that is silent for this long counts as away. */
const PATIENCE_MILLISECONDS = 2_000;
/** No topic has this id: "missing" is a sufficient answer. */
const NO_TOPIC = '00000000-0000-0000-0000-000000000000';

/** Makes a small request to every store. Never rejects; resolves within two seconds. */
export const checkStores = ({ store, documents, topics, keys, clock }: CheckedStores): Promise<StoreCheck[]> => {
  const looked = async (name: StoreCheck['name'], look: () => Promise<string>): Promise<StoreCheck> => {
    const answer = look().then(
      (detail) => ({ name, ok: true, detail }),
      () => ({ name, ok: false, detail: 'It answers with an error. The server log has the details.' }),
    );
    const check = await within(clock, PATIENCE_MILLISECONDS, answer);
    return check === 'late' ? { name, ok: false, detail: 'It has not answered for 2 seconds.' } : check;
  };
  return Promise.all([
    looked('eventLog', async () => {
      const head = await store.head();
      return head === null ? 'empty' : `head ${head}`;
    }),
    looked('documents', async () => `${(await documents.listCollections('')).length} collections`),
    looked('vault', async () => `signing keys: ${(await keys.acceptedKeys('token')).length}`),
    looked('topics', async () => {
      await topics.size(NO_TOPIC);
      return 'answers';
    }),
  ]);
};

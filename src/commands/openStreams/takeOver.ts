import type { Clock } from '../../clock.ts';
import { consumerCheckpoint, ensureConsumers } from '../../stores/consumers/runConsumer.ts';
import type { Documents, StoredDocument } from '../../stores/documents.ts';
import { documentPages } from '../../stores/pages.ts';
import { OPEN_STREAMS } from './openStreams.ts';

/** Collections of versions before `openStreams`: running streams by number, those of the runner, and ended ones. */
const FORMER = ['slots', 'runs', 'expiries'] as const;
/** The consumers that kept them. The runner's only listed streams that the others know too. */
const FORMER_CONSUMERS = ['completion', 'retention'] as const;
const PAGE = 1_000;

/**
 * Takes over what an earlier version knows of open streams, at the first start of this one. Repeatable, also on several nodes at once. Rejects with
 * `StoreUnavailable`.
 */
export const takeOverOpenStreams = async (documents: Documents, clock: Pick<Clock, 'now'>): Promise<void> => {
  const former: string[] = [];
  for (const name of FORMER) if ((await documents.listCollections(name)).includes(name)) former.push(name);
  if (former.length === 0) return;
  await beginWhereTheyWere(documents);
  const copy = async (from: string, bodyOf: (document: StoredDocument) => { id: string; body: StoredDocument['body'] }): Promise<void> => {
    if (!former.includes(from)) return;
    for await (const page of documentPages(documents, from, {}, PAGE))
      await Promise.all(page.map(bodyOf).map(({ id, body }) => documents.create(OPEN_STREAMS.name, id, body)));
  };
  // Ended streams first: a slot may remain of them.
  await copy('expiries', ({ id, body: { retention, ...rest } }) => ({ id, body: { state: retention ?? 'ephemeral', ...rest } }));
  await copy('slots', ({ body: { subject, streamId, node } }) => ({
    id: String(streamId),
    body: { owner: String(subject), state: 'running', since: clock.now(), ...(typeof node === 'string' && { node }) },
  }));
  for (const name of former) await documents.dropCollection(name);
};

/** The policy of open streams continues after the last event that both former consumers have handled. */
const beginWhereTheyWere = async (documents: Documents): Promise<void> => {
  const name = consumerCheckpoint(OPEN_STREAMS.name);
  if (await documents.readCheckpoint(name)) return;
  const positions = await Promise.all(
    FORMER_CONSUMERS.map(async (consumer) => (await documents.readCheckpoint(consumerCheckpoint(consumer)))?.position ?? ''),
  );
  const [first = ''] = positions.toSorted();
  // Without a checkpoint it reads the log from its start.
  if (first === '') return;
  await ensureConsumers(documents);
  await documents.writeBatch('consumers', [], { name, position: first, epoch: 0 });
};

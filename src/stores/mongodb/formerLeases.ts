import type { Collection } from 'mongodb';
import type { Mongo } from './connection.ts';
import type { DocumentRecord } from './documentForm.ts';
import { reach, unlessTaken } from './failures.ts';

/** Where earlier versions kept their leases. */
const FORMER = 'views.doc.leases';

/**
 * Earlier versions read the records named `(floor)` at their start and before they take a lease. The body is no JSON, so that the start ends and nothing
 * is taken; the error quotes it.
 */
const SENTINEL: DocumentRecord = {
  _id: '(floor)#newer',
  position: '',
  body: 'a newer version runs',
  keys: { name: '(floor)' },
};

/**
 * Leaves a record at which nodes of earlier versions stop. Rejects with a sentence if one of them is alive, which its leases show within the ttl. Waits
 * only at the first start after an upgrade, and only if one of them has not released its leases.
 */
export const replaceFormerLeases = async ({ database, clock, logger }: Mongo, ttlMilliseconds: number): Promise<void> => {
  const leases: Collection<DocumentRecord> = database.collection(FORMER);
  if (await reach(leases.findOne({ _id: SENTINEL._id }, { projection: { _id: 1 } }))) return;
  const before = await heldOf(leases);
  if (before.size > 0) {
    logger.info({ leases: before.size, milliseconds: ttlMilliseconds }, 'checking that no node of an earlier version runs');
    await clock.pause(ttlMilliseconds);
    await refuseChanged(leases, before);
  }
  await unlessTaken(leases.insertOne(SENTINEL));
  // One may have started meanwhile. Later ones read the record.
  try {
    await refuseChanged(leases, before);
  } catch (error) {
    await reach(leases.deleteOne({ _id: SENTINEL._id }));
    throw error;
  }
};

/** The bodies of held leases by id: each has the number of its renewals. */
const heldOf = async (leases: Collection<DocumentRecord>): Promise<ReadonlyMap<string, string | null>> => {
  const held = await reach(leases.find({ 'keys.released': false }).toArray());
  return new Map(held.map(({ _id, body }) => [_id, body]));
};

const refuseChanged = async (leases: Collection<DocumentRecord>, before: ReadonlyMap<string, string | null>): Promise<void> => {
  for (const [id, body] of await heldOf(leases)) {
    if (before.get(id) === body) continue;
    const { holder } = JSON.parse(body ?? '{}');
    throw new Error(`A node of an earlier version is running (${holder}). Stop all nodes of that version, then start this one.`);
  }
};

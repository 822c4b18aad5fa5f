import { type Clock, DAY_MILLISECONDS, isoTime } from '../../clock.ts';
import type { Documents } from '../../stores/documents.ts';
import type { Topics } from '../../stores/topics.ts';

/** Version 0.1.0 named the topics of excerpts in this collection, instead of by their ids. The last of them expires a week after the update. */
const FORMER = 'webhookExcerpts';
const KEPT_MILLISECONDS = 7 * DAY_MILLISECONDS;
const PAGE = 500;

const exists = async (documents: Documents): Promise<boolean> => (await documents.listCollections(FORMER)).includes(FORMER);

/** Whether a topic holds excerpts of an earlier version that have not expired. */
export const holdsFormerExcerpts = async (documents: Documents, clock: Pick<Clock, 'now'>, topic: string): Promise<boolean> => {
  const found = (await exists(documents)) ? await documents.get(FORMER, topic) : null;
  if (found === null) return false;
  if (String(found.body.day) >= isoTime(clock.now() - KEPT_MILLISECONDS).slice(0, 10)) return true;
  await documents.remove(FORMER, topic);
  return false;
};

/** Deletes those of a subject. Repeatable. */
export const eraseFormerExcerpts = async (documents: Documents, topics: Pick<Topics, 'delete'>, subject: string): Promise<void> => {
  if (!(await exists(documents))) return;
  for (let found = 1; found > 0; ) {
    const page = await documents.find(FORMER, { where: { subject }, limit: PAGE });
    found = page.length;
    for (const { id } of page) {
      await topics.delete(id);
      await documents.remove(FORMER, id);
    }
  }
};

import { type Clock, DAY_MILLISECONDS, isoTime } from '../../clock.ts';
import type { Documents } from '../../stores/documents.ts';
import type { Topics } from '../../stores/topics.ts';

/** Version 0.1.0 named the topics of excerpts in documents, instead of by their ids. The last of them expires a week after the update. */
const FORMER = { name: 'webhookExcerpts', indexes: [['day'], ['subject']] };
const KEPT_MILLISECONDS = 7 * DAY_MILLISECONDS;
const PAGE = 500;

/** Whether a topic holds excerpts of an earlier version that have not expired. */
export const holdsFormerExcerpts = async (documents: Documents, clock: Pick<Clock, 'now'>, topic: string): Promise<boolean> => {
  await documents.ensureCollection(FORMER);
  const found = await documents.get(FORMER.name, topic);
  if (found === null) return false;
  if (String(found.body.day) >= isoTime(clock.now() - KEPT_MILLISECONDS).slice(0, 10)) return true;
  await documents.remove(FORMER.name, topic);
  return false;
};

/** Deletes those of a subject. Repeatable. */
export const eraseFormerExcerpts = async (documents: Documents, topics: Pick<Topics, 'delete'>, subject: string): Promise<void> => {
  await documents.ensureCollection(FORMER);
  for (let found = 1; found > 0; ) {
    const page = await documents.find(FORMER.name, { where: { subject }, limit: PAGE });
    found = page.length;
    for (const { id } of page) {
      await topics.delete(id);
      await documents.remove(FORMER.name, id);
    }
  }
};
